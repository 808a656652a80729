"""The use cases: commands on matches, idempotency, listing and following."""
