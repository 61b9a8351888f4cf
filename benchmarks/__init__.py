"""Benchmarks: ratios against what people use today, measured side by side in one run. Never part of the tests."""
