"""Requests to URLs that clients name: below webhooks and bots at URLs, which are stored alike."""
