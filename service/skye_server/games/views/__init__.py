"""What a caller may see of a game: of the game, its seats and its events."""
