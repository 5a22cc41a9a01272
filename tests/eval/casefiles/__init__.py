"""Cases in files."""
