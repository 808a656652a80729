"""The store on Redis: atomic commits, event logs, indexes and pools; `connection` calls the servers.

`skye_server.store.redis_store` lists the keys and their contents.
"""
