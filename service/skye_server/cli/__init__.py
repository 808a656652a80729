"""The commands: `skye-server COMMAND`."""
