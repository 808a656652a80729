"""The commands: `python -m skye_server.cli COMMAND`."""
