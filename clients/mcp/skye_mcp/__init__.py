"""An MCP server for Isle of Skye: `make_server` builds it, `skye-mcp` runs it."""

from skye_mcp.server import make_server

__all__ = ["make_server"]
