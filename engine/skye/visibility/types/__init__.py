"""The JSON objects that describe a game, its events and its reports."""
