"""Tests of the adapters; they mirror src/brute/eval/adapters."""
