"""Redis: topologies, connections, retries and circuit breakers, and atomic commits.

`skye_server.storage.redis_store` lists the keys and their contents.
"""
