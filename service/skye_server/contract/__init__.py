"""Schemas: the shape and range of requests and responses."""
