"""The dispatcher: handles due work of games and players that no request asks for."""
