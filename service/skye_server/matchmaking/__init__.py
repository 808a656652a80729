"""Matchmaking: tickets of players who wait for others with the same criteria."""
