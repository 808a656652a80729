"""Invariants of any game at any time, checked in the views of players and spectators."""

import json
from collections import Counter

from skye import BASE
from tests.system.proof import require

NOT_OF_THE_GAME = ("you", "now")


def prove_view(view):
    """Check that the view of a spectator has every tile once, and no hidden information."""
    tiles = Counter(view["bag"]["tiles"])
    for player in view["players"]:
        tiles.update(drawn["tile"] for drawn in player["tiles_on_offer"])
        tiles.update(player["tiles_to_build"])
        tiles.update(placed["tile"] for placed in player["territory"][1:])
        require(player["territory"][0]["tile"] == f"castle-{player['color']}", view["id"], "no castle")
    require(
        tiles == Counter(BASE.tiles.landscape),
        view["id"],
        "tiles lost or doubled:",
        tiles - Counter(BASE.tiles.landscape),
    )
    require(view["bag"]["count"] == len(view["bag"]["tiles"]), view["id"], "miscounted bag")
    if view["status"] != "finished":
        _prove_hidden(view)


def _prove_hidden(view):
    require(view["fairness"]["seed"] is None, view["id"], "shows its seed")
    for player in view["players"]:
        if not view["options"]["open_gold"]:
            require(player["gold"] is None, view["id"], "shows a purse")
        if view["phase"] == "pricing":
            secrets = [drawn[field] for drawn in player["tiles_on_offer"] for field in ("price", "discard")]
            require(secrets == [None] * len(secrets), view["id"], "shows an offer")


def prove_secrecy(event, seed, *, open_gold):
    """Check that an event shows a spectator nothing that is still secret."""
    if event["type"] == "offer_set":
        require([event[field] for field in ("discard", "prices", "gold")] == [None] * 3, event)
    if event["type"] != "game_finished":
        require(seed not in json.dumps(event), event, "shows the seed")
        purses = [received.get("gold") for received in event.get("players", ()) if not open_gold]
        require(purses == [None] * len(purses), event, "shows a purse")


def prove_alike(match, wire):
    """Check that the views of all callers of an idle game differ only in their own hidden information."""
    public = wire.read(match.path)
    prove_view(public)
    views = [wire.read(match.path, seat.token) for seat in match.seats]
    for seat, view in zip(match.seats, views, strict=True):
        require(view["you"] == {"seat": seat.number, "roles": ["player"]}, seat.path, view["you"])
        for name, value in public.items():
            shown = view[name]
            if name == "players":
                shown = [*shown]
                shown[seat.number] = _without_own(shown[seat.number], value[seat.number])
            require(shown == value or name in NOT_OF_THE_GAME, seat.path, name, shown, "and to others", value)
    _prove_gold(match, wire, views)


def _without_own(own, public):
    """Return a player as others see it."""
    drawn = [
        tile | {"price": other["price"], "discard": other["discard"]}
        for tile, other in zip(own["tiles_on_offer"], public["tiles_on_offer"], strict=True)
    ]
    return own | {"tiles_on_offer": drawn, "gold": public["gold"]}


def _prove_gold(match, wire, views):
    """Check that all gold comes from income, and that only unsold tiles have cost gold."""
    rounds = [wire.read(f"{match.path}/rounds/{number}") for number in range(1, views[0]["round"] + 1)]
    players = [player for received in rounds for player in received["players"]]
    came = sum(player["income"]["total"] for player in players)
    went = sum(player["gold_lost"] or 0 for player in players)
    purses = [view["players"][seat]["gold"] for seat, view in enumerate(views)]
    drawn = [tile for seat, view in enumerate(views) for tile in view["players"][seat]["tiles_on_offer"]]
    staked = sum(tile["price"] or 0 for tile in drawn)
    require(sum(purses) + staked == came - went, match.path, "gold", purses, staked, came, went)


def prove_result(match, wire):
    """Compare the result of a finished game with the points of its territories by `POST /v1/scoring`."""
    view = wire.read(match.path)
    rounds = view["round"]
    territories = [{"tiles": player["territory"], "gold": player["gold"]} for player in view["players"]]
    asked = {
        "territories": territories,
        "scoring_tiles": [tile["scoring_tile"] for tile in view["scoring_tiles"]],
    }
    reply = wire.ask_until_answered("POST", "/v1/scoring", asked)
    require(reply.status == 200, match.path, reply)
    last = wire.read(f"{match.path}/rounds/{rounds}")["players"]
    slots = {tile["slot"]: tile["scoring_tile"] for tile in view["scoring_tiles"]}
    for received, by_result, by_round in zip(
        reply.json["territories"], view["result"]["players"], last, strict=True
    ):
        require(received["scroll_points"] == by_result["scroll_points"], match.path, received, by_result)
        require(received["gold_points"] == by_result["gold_points"], match.path, received, by_result)
        points = {tile["scoring_tile"]: tile["points"] for tile in received["scoring_tiles"]}
        for scored in by_round["scoring_tiles"]:
            require(scored["scoring_tile"] == slots[scored["slot"]], match.path, scored)
            require(scored["points"] == points[scored["scoring_tile"]], match.path, scored, points)
        total = (
            sum(tile["points"] for tile in by_result["scoring_tiles"])
            + by_result["scroll_points"]
            + by_result["gold_points"]
        )
        require(total == by_result["score"], match.path, "does not add up:", by_result)
