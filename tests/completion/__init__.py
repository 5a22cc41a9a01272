"""Tests of the completions."""
