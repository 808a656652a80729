"""The arena: leagues of bots on paired seeds, by the command `skye-arena` (see PROTOCOL.md for bots)."""
