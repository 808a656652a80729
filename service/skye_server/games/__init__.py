"""A match around a game of the engine: seats, lobby, deadlines, bots and views. No Flask, no Redis."""
