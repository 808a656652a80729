"""Environments for bot frameworks; each module needs the framework of its name (see the extras)."""
