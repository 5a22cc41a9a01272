"""Record and replay: what an attempt's tools and models answered, kept beside the eval file, and answered from there."""
