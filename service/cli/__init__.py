"""The commands: `python -m service.cli COMMAND`."""
