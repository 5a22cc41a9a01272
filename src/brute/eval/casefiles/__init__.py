"""Cases in files: YAML, JSON and JSON lines, read and written, with the place of whatever can't be meant."""
