"""Modules of the web client that need no page, in Node."""

import json
import shutil

import pytest

from tests.support.launcher import ROOT
from tests.support.missing_programs import NO_NODE
from tests.support.programs import run

_BROWSER = """
const stored = new Map();
globalThis.localStorage = { getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => stored.set(name, value), removeItem: (name) => stored.delete(name) };
globalThis.location = { origin: "http://127.0.0.1" };
"""


def evaluated(script):
    """Return what a script prints as JSON, which can import the modules of the web client."""
    if not shutil.which("node"):
        pytest.skip(NO_NODE)
    return json.loads(run("node", "--input-type=module", "--eval", _BROWSER + script, cwd=ROOT / "web"))


OPENED = [
    ("game_not_found", {"seats": ["dead", "live"]}, "live", ["live"]),
    ("game_not_found", {"seats": ["dead"], "host": "live"}, "live", ["live"]),
    ("token_unknown", {"seats": ["dead"], "host": "live"}, "live", ["live"]),
    ("game_not_found", {"seats": [], "invite": "dead", "watch": "live"}, "live", ["live"]),
    ("token_unknown", {"seats": ["dead"]}, None, []),
    ("invitation_over", {"seats": [], "invite": "dead", "watch": "live"}, "live", ["live"]),
    ("game_not_found", {"seats": ["dead"], "host": "dead2"}, "game_not_found", []),
    ("internal_error", {"seats": ["dead"], "host": "live"}, "internal_error", ["dead", "live"]),
]
"""The error for a dead token, the stored tokens, what opens the game or fails, and what is still stored."""


def test_game_is_opened_by_the_first_token_that_the_server_accepts():
    script = """
      const { ApiError } = await import("../clients/typescript/src/errors.js");
      const { skye } = await import("./state/api.js");
      const { saveTokens, tokensOf } = await import("./state/tokens.js");
      const { loadGame } = await import("./home/my-games.js");
      const results = [];
      for (const [index, [code, tokens]] of CASES.entries()) {
        skye.game = (id, token) => ({ get: async () => {
          const refused = token === null ? code === "game_not_found" : token.startsWith("dead");
          if (refused) throw new ApiError(404, { code }, new Headers());
        } });
        saveTokens(`g${index}`, tokens);
        const opened = await loadGame(`g${index}`).then(({ token }) => token, (error) => error.code);
        const { seats, host, invite, watch } = tokensOf(`g${index}`);
        results.push([code, tokens, opened, [...seats, host, invite, watch].filter(Boolean)]);
      }
      console.log(JSON.stringify(results));
    """
    assert evaluated(script.replace("CASES", json.dumps(OPENED))) == [list(case) for case in OPENED]


def seat(offers=(), hand=(), territory=(), gold=5):
    """Return a player as the server shows it; an offer is a tile with its price, None if it is discarded."""
    drawn = [{"tile": tile, "price": price, "discard": price is None} for tile, price in offers]
    cells = [("castle-red", 0, 0), *territory]
    placed = [{"tile": tile, "x": x, "y": y, "rotation": 0} for tile, x, y in cells]
    return {"gold": gold, "tiles_on_offer": drawn, "tiles_to_build": list(hand), "territory": placed}


DRAWN = [("L48", None), ("L10", None), ("L43", None)]
OFFERED = [("L66", None), ("L09", 9), ("L47", 1)]


EXAMPLES = [
    ("discard", [seat(DRAWN), seat()], "L43"),
    ("buy", [seat(), seat(OFFERED)], "L47"),
    ("buy", [seat(gold=0), seat(OFFERED)], None),
    ("completed", [seat(hand=["L43", "L10"]), seat()], "L10"),
    ("completed", [seat(hand=["L10"], territory=[("L43", 1, 0)]), seat()], None),
    ("completed", [seat(hand=["L43"]), seat()], None),
    ("scrolls", [seat(territory=[("L48", 1, 0)]), seat()], "L48"),
    ("scrolls", [seat(hand=["L10"]), seat([("L48", 1)])], None),
    ("income", [seat(DRAWN), seat()], None),
]
"""A lesson, the players, and the tile that the lesson names."""


def test_guide_names_a_tile_that_the_player_has_or_can_buy(service):
    script = """
      const { exampleTile } = await import("./game/guide-examples.js");
      const named = CASES.map(([lesson, players]) => exampleTile(lesson, { players }, 0, TILES));
      console.log(JSON.stringify(named));
    """
    tiles = service.get("/v1/tiles?ruleset=base")["tiles"]
    script = script.replace("CASES", json.dumps(EXAMPLES)).replace("TILES", json.dumps(tiles))
    assert evaluated(script) == [named for *_, named in EXAMPLES]


def test_pictures_and_texts_are_those_of_the_ruleset_of_the_game():
    script = """
      location.href = "http://127.0.0.1/play/";
      globalThis.document = { querySelector: () => null };
      const { skye } = await import("./state/api.js");
      const { scoringPicture, tilePicture } = await import("./state/pictures.js");
      const { loadRuleset, scoringText, scoringTitle } = await import("./shared/rulesets.js");
      const asked = [];
      globalThis.fetch = async (url) => (asked.push(url), new Response("", { status: 404 }));
      skye.transport.json = async (method, path, { query }) => {
        asked.push(`${path} ${query.ruleset}`);
        return { scoring_tiles: [{ id: "lakeside_sheep", title: "Sheep at the lake", text: "1 each." }] };
      };
      for (const ruleset of ["base", "base+0a1b2c3d", "second"]) await loadRuleset(ruleset);
      console.log(JSON.stringify([asked, tilePicture("base+0a1b2c3d", "L01", 90), tilePicture(null, "L01"),
        scoringPicture("second", "lakeside_sheep"),
        scoringTitle("lakeside_sheep"), scoringText("lakeside_sheep"), scoringTitle("unknown")]));
    """
    sheets = [f"/v1/tiles/pictures.svg?ruleset={name}" for name in ("base", "base%2B0a1b2c3d", "second")]
    assert evaluated(script) == [
        [*sheets, "/v1/scoring-tiles second"],
        "/v1/tiles/L01/picture.svg?rotation=90&ruleset=base%2B0a1b2c3d",
        "/v1/tiles/L01/picture.svg?rotation=0",
        "/v1/scoring-tiles/lakeside_sheep/picture.svg?ruleset=second",
        "Sheep at the lake",
        "1 each.",
        "unknown",
    ]


def moment(phase, version, waiting, seat=0, status="playing"):
    """Return what a view says about whose turn it is."""
    return {
        "phase": phase,
        "version": version,
        "waiting_for": waiting,
        "round": 1,
        "status": status,
        "you": {"seat": seat},
    }


PRICING = moment("pricing", 4, [0, 1])
SHOWN = [
    (PRICING, PRICING, None, ["old"], False),
    (PRICING, moment("pricing", 5, [1]), None, ["old"], True),
    (PRICING, moment("pricing", 5, [1]), moment("pricing", 5, [1]), ["old"], False),
    (PRICING, moment("pricing", 6, [1]), moment("pricing", 5, [1]), ["old"], True),
    (PRICING, moment("buying", 6, [1]), None, [], False),
    (PRICING, moment("buying", 6, [0]), None, None, True),
    (None, PRICING, None, None, True),
    (None, moment("buying", 6, [0], seat=None), None, None, False),
    (moment("building", 9, [0]), moment("building", 10, [], status="finished"), None, None, False),
]
"""The view of the last list of actions, the current view, that of the request in progress; then the list that
is shown, and whether actions must be requested."""


def test_actions_are_those_of_the_turn_and_requested_once_for_a_version():
    script = """
      const { actionsIn, momentOf, momentToRequest } = await import("./state/actions.js");
      const results = CASES.map(([before, view, requested]) => {
        const known = {
          listed: before && { moment: momentOf(before), list: ["old"] },
          requested: requested && momentOf(requested),
        };
        return [actionsIn(known, view), momentToRequest(known, view) !== null];
      });
      console.log(JSON.stringify(results));
    """
    results = evaluated(script.replace("CASES", json.dumps([case[:3] for case in SHOWN])))
    assert results == [list(case[3:]) for case in SHOWN]
