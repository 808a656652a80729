"""Bots at URLs: programs that play seats; the server sends them each decision."""
