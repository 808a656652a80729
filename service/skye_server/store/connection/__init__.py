"""Connections to Redis. `calls` makes a call, `topology` finds its server, `batching` sends its command.

`failures` says what an error means, and `pubsub` subscribes to changes.
"""
