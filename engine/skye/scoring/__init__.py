"""The scoring tiles, and the points of the end of the game."""
