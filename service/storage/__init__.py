"""Redis: topologies, connections, retries and circuit breakers, and atomic commits.

What is kept there, and under which keys, is `service.storage.redis_store`'s.
"""
