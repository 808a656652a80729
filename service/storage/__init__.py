"""Redis: how it is reached in each of its forms, borne with while it is away, and what it does in one step.

What is kept there, and under which keys, is `service.storage.redis_store`'s.
"""
