"""The processes: the launcher, its embedded Redis, and the gunicorn worker."""
