"""Rulesets in the MCP server: that of each game, from the server's catalogue where this process lacks it."""

import anyio
import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: the MCP server is not tested")

import fakeredis

from skye.rulesets import BASE, RULESETS
from skye.tiles.tile_set import TILE_SETS
from skye_mcp.rulesets import UnknownRuleset, load_ruleset, ruleset_of_new_games
from skye_server import create_app
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from tests.support.second_ruleset import SECOND, registered

CORRECTED = BASE.corrected("L01 PWWW/W N whisky ship\nrounds 5 A BD AC BCD ABCD", "corrections.txt")


class Api:
    """A server with a ruleset, as the client calls it; this process forgets the ruleset after each call."""

    def __init__(self, ruleset):
        settings = Settings.from_environment({})
        self.client = create_app(settings, RedisStore(fakeredis.FakeRedis())).test_client()
        self.transport, self.ruleset, self.changed = self, ruleset, {}

    async def json(self, method, path, query=None):
        """Return the response of the catalogue of a server with the ruleset."""
        with registered(self.ruleset):
            query = query or {"ruleset": self.ruleset.id}
            return self.client.open(path, method=method, query_string=query).json | self.changed


@pytest.fixture(autouse=True)
def _forget():
    yield
    RULESETS.pop(CORRECTED.id, None)
    TILE_SETS.pop(CORRECTED.id, None)


def test_corrected_ruleset_is_loaded_from_the_catalogue():
    loaded = anyio.run(lambda: ruleset_of_new_games(Api(CORRECTED)))
    assert loaded is RULESETS[CORRECTED.id] is not CORRECTED
    assert loaded.data.text == CORRECTED.data.text


def test_catalogue_with_other_tiles_than_its_id_says_is_refused():
    api = Api(CORRECTED)
    api.changed = {"round_tables": [{"players": 2, "rounds": [["A"]]}]}
    with pytest.raises(UnknownRuleset, match="is that of base"):
        anyio.run(lambda: load_ruleset(api, CORRECTED.id))
    assert CORRECTED.id not in RULESETS


def test_ruleset_that_corrects_none_of_this_version_is_refused():
    with pytest.raises(UnknownRuleset, match="ruleset second"):
        anyio.run(lambda: load_ruleset(Api(SECOND), "second"))
