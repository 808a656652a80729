"""Players: their keys, their games and their events."""
