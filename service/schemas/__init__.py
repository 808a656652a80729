"""Schemas: the shape and range of what comes in, and of what goes out."""
