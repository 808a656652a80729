"""One function for each change of a game; idempotency, decoded-game cache, the list of public games."""
