"""The completions: a model behind an API, and a model in this process."""
