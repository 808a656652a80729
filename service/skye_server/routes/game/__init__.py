"""The routes of one game: its lobby, its play, its scores and its history."""
