"""Tests of `brute.eval`; they mirror src/brute/eval."""
