"""A game around the engine's state: seats, lobby, deadlines, bots and views. No Flask, no Redis."""
