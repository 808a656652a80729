"""The gunicorn worker: timeouts, connection limits, graceful shutdown and error responses."""
