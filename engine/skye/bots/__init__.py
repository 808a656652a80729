"""The bots, and how they evaluate a game."""
