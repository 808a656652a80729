"""Event streams and long polls of games and players, and the change notifications that wake them."""
