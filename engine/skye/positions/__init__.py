"""Positions and records: a game as JSON or text, and back."""
