"""The readers of a run, one file each."""
