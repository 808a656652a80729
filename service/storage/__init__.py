"""Redis: topologies, connections, retries and circuit breakers, and atomic commits.

`service.storage.redis_store` lists the keys and their contents.
"""
