"""Benchmarks of speed: ratios against peers, measured side by side in one run. Never part of the tests."""
