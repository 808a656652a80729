"""What a seat or a spectator may see of a game, and reports about it."""
