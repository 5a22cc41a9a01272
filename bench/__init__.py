"""The benchmarks: always two things side by side in one run, as a ratio. `python -m bench` runs them all."""
