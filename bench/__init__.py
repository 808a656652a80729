"""Benchmarks: figures are ratios between things run side by side in one run. `python -m bench`."""
