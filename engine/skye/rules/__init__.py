"""The rules of the game: its state, its moves, its rounds and its draws."""
