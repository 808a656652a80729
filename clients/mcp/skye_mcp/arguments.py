"""A server whose tools check their arguments as the API checks its fields, and whose errors are sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.types import CallToolResult, InputRequiredResult, Tool
from pydantic import ValidationError


class StrictServer(MCPServer[Any]):
    """An MCP server that refuses unknown arguments, which the SDK drops."""

    async def list_tools(self) -> list[Tool]:
        """List the tools; their schemas allow no other arguments."""
        tools = await super().list_tools()
        for tool in tools:
            tool.input_schema = tool.input_schema | {"additionalProperties": False}
        return tools

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        :raises ToolError: with a sentence for the model, without what the SDK adds to it.
        """
        schemas = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in schemas:
            raise ToolError(f"There is no tool {name!r}. {_suggestion(name, schemas, 'The tools are')}")
        try:
            return await super().call_tool(name, _present(name, schemas[name], arguments), context)
        except UnexpectedToolError as error:
            text = f"{name} has failed. This is a fault of the MCP server, not of the arguments."
            raise UnexpectedToolError(text) from error
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(_invalid(name, schemas[name], cause)) from cause
            raise cause or error from None


def _present(name: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call without optional ones that are null: models send null for absence.

    :raises ToolError: when one is unknown.
    """
    known = schema.get("properties", {})
    for argument in arguments:
        if argument not in known:
            raise ToolError(_unknown(argument, name, known))
    required = schema.get("required", ())
    return {key: value for key, value in arguments.items() if value is not None or key in required}


def _invalid(name: str, schema: Mapping[str, Any], error: ValidationError) -> str:
    """Return what is wrong with the arguments of a call, in a sentence for each fault."""
    found = []
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        *outer, last = each["loc"] or ("",)
        if each["type"] == "extra_forbidden":
            place = ".".join(part for part in outer if isinstance(part, str) and part in schema["properties"])
            known = _properties(schema, place)
            found.append(_unknown(str(last), f"{name}: {place}", known))
        else:
            found.append(f"{'.'.join(map(str, each['loc']))}: {each['msg']}.")
    return f"{name} was not called. {' '.join(dict.fromkeys(found))}"


def _properties(schema: Mapping[str, Any], argument: str) -> Iterable[str]:
    """Return the names of the fields of an argument that is an object, or a list of objects."""
    forms = [schema["properties"].get(argument, {})]
    while forms:
        form = forms.pop()
        if "$ref" in form:
            form = schema["$defs"][form["$ref"].rpartition("/")[2]]
        if "properties" in form:
            return list(form["properties"])
        forms += form.get("anyOf", []) + ([form["items"]] if "items" in form else [])
    return []


def _unknown(argument: str, owner: str, known: Iterable[str]) -> str:
    return f"{owner} has no argument {argument!r}. {_suggestion(argument, known, 'Its arguments are')}"


def _suggestion(word: str, known: Iterable[str], introduction: str) -> str:
    """Return the known word that is nearest to another, and all of them."""
    names = list(known)
    nearest = difflib.get_close_matches(word, names, 1)
    hint = f"Did you mean {nearest[0]!r}? " if nearest else ""
    return f"{hint}{introduction}: {', '.join(names)}." if names else "It has no arguments."
