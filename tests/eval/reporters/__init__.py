"""Tests of the reporters, over one shared report."""
