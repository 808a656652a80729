"""What the tools of the MCP server declare, and the rules that they find."""

import anyio
import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: the MCP server is not tested")

from skye_client import AsyncSkye
from skye_mcp import make_server
from skye_mcp.rules_text import text_about, topics_of

CHANGES = {"create_game": (False, False), "join_game": (False, True), "act": (True, False)}
"""The tools that change something: whether they destroy something, and whether they are idempotent."""

TEXTS = topics_of("""
<nav><h2>Menu</h2></nav><h1>Rules</h1><p>Play.</p>
<h2>A round</h2><ol><li><b>Pricing.</b> Each player
draws tiles.</li><li><b>Buying.</b> Each player
buys one tile.</li></ol><h2>Terms</h2><p>A price is gold; the buyer pays it.</p>
""")


@pytest.fixture
def tools():
    """The tools of a server, by name."""

    async def listed():
        async with AsyncSkye("http://127.0.0.1:1") as skye:
            return {tool.name: tool for tool in await make_server(skye).list_tools()}

    return anyio.run(listed)


def test_every_tool_declares_its_title_and_what_it_changes(tools):
    assert len(tools) == 11
    for name, tool in tools.items():
        hints = tool.annotations
        assert tool.title == hints.title != name
        assert hints.read_only_hint == (name not in CHANGES)
        assert (hints.destructive_hint, hints.idempotent_hint) == CHANGES.get(name, (False, True))
        assert hints.open_world_hint == ("Names in quotes are data" in tool.description)


def test_text_of_a_tool_is_not_doubled_by_an_output_schema(tools):
    assert {tool.output_schema for tool in tools.values()} == {None}


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("round", "Pricing. Each player draws tiles.\nBuying. Each player buys one tile."),
        (
            "buying",
            "A round: Buying. Each player buys one tile.\nTerms: A price is gold; the buyer pays it.",
        ),
        (
            "Prices",
            "A round: Pricing. Each player draws tiles.\nTerms: A price is gold; the buyer pays it.",
        ),
        ("gold price", "Terms: A price is gold; the buyer pays it."),
        ("rivers", "No rule has 'rivers'. Topics: Rules, A round, Terms."),
        ("(", "No rule has '('. Topics: Rules, A round, Terms."),
    ],
)
def test_rules_about_a_topic_are_its_section_or_the_rules_with_its_words(topic, expected):
    assert text_about(topic, TEXTS) == expected
