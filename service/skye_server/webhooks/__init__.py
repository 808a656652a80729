"""Webhooks: signed requests that report the events of players and games to the URLs of their owners."""
