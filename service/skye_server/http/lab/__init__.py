"""Faults that a lab server injects into requests."""
