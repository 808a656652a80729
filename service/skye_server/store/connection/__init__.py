"""Connections to Redis: clients, topologies, retries, circuit breakers and pub/sub."""
