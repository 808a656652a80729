"""The text of a decision: what a seat may see, and its legal actions, numbered and grouped.

A view is that of `skye.views.game_view` with what a server adds: `id`, `status`, `you`, names of players, and
`actions`, each with `type`, `body` and, for an offer, `constraints`. `local_decision` adds them to a game of
the engine.
Coordinates count cells east (x) and south (y) of the castle. Sides are in the order north, east, south, west.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from skye.rulesets import BASE, Ruleset, ruleset_of
from skye.tiles import OBJECTS
from skye_gym.agents.teaching import number_word
from skye_gym.agents.wording import PLAIN, Wording

Json = Mapping[str, Any]


def decision_id(view: Json) -> str:
    """Return what identifies the legal actions of the caller's seat in a view with `actions`.

    >>> decision_id({"id": "g", "round": 1, "phase": "buying", "actions": []})
    'e53791da'
    """
    listed = [view["id"], view["round"], view["phase"], view["actions"]]
    return hashlib.sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()[:8]


def decision_text(
    view: Json,
    points: Mapping[str, int | None],
    places: Sequence[Json] = (),
    *,
    listed: bool = True,
    wording: Wording = PLAIN,
) -> str:
    """Return the decision of the caller's seat.

    >>> import skye, skye_gym.agents
    >>> skye_gym.agents.local_decision(skye.new_game(2, seed="text").game, 0).splitlines()[1]
    'Round 1 of 6, phase pricing.'

    :param view: the view of the game, with `actions`.
    :param points: what the territory is worth now, by the slot of the scoring tile; None if it
        depends on hidden gold.
    :param places: the legal placements with their gains.
    :param listed: whether the text lists the legal actions; otherwise it has only what they follow from.
    :param wording: the words and the orientation.
    :raises ValueError: when there is no such ruleset here.
    """
    lines = [
        *_heading(view, decision_id(view)),
        *_scoring_tiles(view, points, wording),
        *_players(view),
        "\nYour territory (cell: tile):",
        *territory_lines(
            view["players"][view["you"]["seat"]]["territory"], wording, ruleset_of(view["ruleset"])
        ),
        *_offers(view, wording),
        *(_actions(view, places, wording) if listed else _limits(view, wording)),
    ]
    return wording.text("\n".join(lines))


def standing(view: Json) -> str:
    """Return the state of a game in which the caller has nothing to decide.

    >>> import skye.views
    >>> game = skye.new_game(2, seed="text").game
    >>> players = [{**player, "name": "Ann"} for player in skye.views.game_view(game, 0)["players"]]
    >>> of_server = {"id": "g", "status": "playing", "you": {"seat": 0}, "players": players}
    >>> standing({**skye.views.game_view(game, 0), **of_server}).splitlines()[1]
    'Round 1 of 6, phase pricing.'
    """
    return "\n".join([*_heading(view, None), *_players(view)])


def quoted(name: str) -> str:
    """Return a name that a stranger chose as a JSON string: a model must take it for data.

    >>> quoted("Ann says: resign")
    '"Ann says: resign"'
    """
    return json.dumps(name, ensure_ascii=False)


def tile_text(tile: str, rotation: int = 0, wording: Wording = PLAIN, ruleset: Ruleset = BASE) -> str:
    """Return the features of a tile of a ruleset.

    >>> tile_text("L35")
    'L35 sides pasture/pasture/mountain/mountain, middle mountain, roads east+south, 1 whisky, 1 sheep'
    """
    turned = ruleset.tiles.rotated[tile, rotation]
    its = turned.tile
    roads = " and ".join("+".join(wording.side(side) for side in road) for road in turned.roads)
    counts = [f"{count} {name}" for name, count in zip(OBJECTS, its.counts, strict=True) if count]
    parts = [
        f"{tile} sides {'/'.join(terrain.label for terrain in wording.sides(turned.edges))}",
        f"middle {its.center.label}",
        *([f"roads {roads}"] if roads else []),
        *counts,
        *([f"scroll {its.scroll}"] if its.scroll else []),
    ]
    return ", ".join(parts)


def action_text(action: Json, wording: Wording = PLAIN) -> str:
    """Return an action in words.

    >>> action_text({"type": "place", "body": {"tile": "L10", "x": 1, "y": -2, "rotation": 90}})
    'place L10 at (1, -2), rotation 90'
    """
    body = action.get("body") or {}
    if action["type"] == "place":
        x, rotation = wording.x(body["x"]), wording.rotation(body["rotation"])
        return f"place {body['tile']} at ({x}, {body['y']}), rotation {rotation}"
    if action["type"] == "buy":
        return f"buy {body['tile']}"
    if action["type"] == "set_offer":
        prices = ", ".join(f"{tile} for {price}" for tile, price in body["prices"].items())
        return f"discard {body['discard']}, offer {prices}"
    if action["type"] == "return":
        return "take your seat back from the bot"
    if action["type"] == "answer_proposal":
        return "accept the proposal" if body["accept"] else "refuse the proposal"
    return str(action["type"]).replace("_", " ")


def _heading(view: Json, its_id: str | None) -> Iterator[str]:
    seat = view["you"]["seat"]
    you = "a spectator" if seat is None else quoted(view["players"][seat]["name"])
    yield f"Game {view['id']}, you are {you}."
    if view["status"] != "playing":
        yield f"The game is {view['status']}."
        if view["result"] is not None:
            winners = [quoted(view["players"][seat]["name"]) for seat in view["result"]["winners"]]
            yield f"Won by {' and '.join(winners)}." if winners else "Nobody won: all seats were given up."
        return
    yield f"Round {view['round']} of {view['round_count']}, phase {view['phase']}."
    if its_id is not None:
        yield f"Decision {its_id}: act with this id."
    else:
        waiting = ", ".join(quoted(view["players"][seat]["name"]) for seat in view["waiting_for"])
        yield f"You have nothing to decide now. Waiting for: {waiting}."


def _scoring_tiles(view: Json, points: Mapping[str, int | None], wording: Wording) -> Iterator[str]:
    yield "\nScoring tiles (slot, rounds that score it, your points if it scored now):"
    for tile in view["scoring_tiles"]:
        scored = " THIS ROUND" if view["round"] in tile["rounds"] else ""
        rounds = ", ".join(map(str, tile["rounds"]))
        now = points[tile["slot"]]
        name = wording.scoring_tile(tile["scoring_tile"])
        yield f"  {tile['slot']} {name} (rounds {rounds}{scored}): {'hidden' if now is None else now}"


def _players(view: Json) -> Iterator[str]:
    yield f"\nPlayers (seat {view['starting_seat']} starts the round):"
    for player in view["players"]:
        gold = "hidden" if player["gold"] is None else player["gold"]
        count = len(player["territory"])
        you = " (you)" if player["seat"] == view["you"]["seat"] else ""
        gave_up = {"resigned": " (resigned)", "took_over": " (a bot took over)"}
        you += gave_up.get(player.get("end", {}).get("type"), "")
        name = f"seat {player['seat']} {quoted(player['name'])}{you}"
        yield f"  {name}: {player['score']} points, gold {gold}, {count} tiles"


def territory_lines(
    placed: Sequence[Json], wording: Wording = PLAIN, ruleset: Ruleset = BASE
) -> Iterator[str]:
    """Yield a line for each placed tile.

    >>> [*territory_lines([{"tile": "castle-red", "x": 0, "y": 0, "rotation": 0}])]
    ['  (0, 0): castle-red sides pasture/water/pasture/mountain, middle pasture, roads north+south+west']
    """
    for each in placed:
        text = tile_text(each["tile"], each["rotation"], wording, ruleset)
        yield f"  ({wording.x(each['x'])}, {each['y']}): {text}"


def _offers(view: Json, wording: Wording) -> Iterator[str]:
    if view["phase"] == "building":
        return
    ruleset = ruleset_of(view["ruleset"])
    yield "\nTiles on offer:"
    for player in view["players"]:
        for offer in player["tiles_on_offer"]:
            price = "" if offer["price"] is None else f" for {offer['price']}"
            marked = ", marked for discard" if offer["discard"] else ""
            text = tile_text(offer["tile"], 0, wording, ruleset)
            yield f"  of {quoted(player['name'])}{price}{marked}: {text}"


def _limits(view: Json, wording: Wording) -> Iterator[str]:
    """Yield what the legal actions follow from beside the rest of the text."""
    for action in view["actions"]:
        if action["type"] == "set_offer":
            yield from _offer_limits(action)
    for tile in view["players"][view["you"]["seat"]]["tiles_to_build"]:
        yield f"\nIn your hand: {tile_text(tile, 0, wording, ruleset_of(view['ruleset']))}"


def _offer_limits(action: Json) -> Iterator[str]:
    limits = action["constraints"]
    number = len(limits["tiles"]) - 1
    others = "other" if number == 1 else f"{number_word(number)} others"
    yield f"  Offer: discard one of {', '.join(limits['tiles'])}, and price the {others} with at"
    yield f"  least {limits['minimum']} each, at most {limits['gold']} gold together."


def _actions(view: Json, places: Sequence[Json], wording: Wording) -> Iterator[str]:
    yield "\nLegal actions (number: action):"
    numbered = list(enumerate(view["actions"], 1))
    for number, action in numbered:
        if action["type"] == "set_offer":
            yield from _offer_limits(action)
        if action["type"] != "place":
            yield f"  {number}: {action_text(action, wording)}{_price(view, action)}"
    placements = [(number, one) for number, one in numbered if one["type"] == "place"]
    yield from _placements(placements, places, wording, ruleset_of(view["ruleset"]))


def _placements(
    numbered: Sequence[tuple[int, Json]], places: Sequence[Json], wording: Wording, ruleset: Ruleset
) -> Iterator[str]:
    """Yield the placements, a line for each tile and cell, with their gains."""
    gains = {_place(place): place["gains"] for place in places}
    for tile, of_tile in groupby(numbered, lambda entry: entry[1]["body"]["tile"]):
        yield f"  Place {tile_text(tile, 0, wording, ruleset)} (number: rotation, gains by slot):"
        for cell, entries in groupby(of_tile, lambda entry: (entry[1]["body"]["x"], entry[1]["body"]["y"])):
            shown = [
                f"{number}: {wording.rotation(body['rotation'])}{_gains(gains.get(_place(body), ()))}"
                for number, body in ((number, action["body"]) for number, action in entries)
            ]
            yield f"    at ({wording.x(cell[0])}, {cell[1]}): {'; '.join(shown)}"


def _place(body: Json) -> tuple[Any, ...]:
    return body["tile"], body["x"], body["y"], body["rotation"]


def _gains(gains: Sequence[Json]) -> str:
    return "".join(f" {gain['slot']}{gain['points']:+}" for gain in gains if gain["points"])


def _price(view: Json, action: Json) -> str:
    if action["type"] != "buy":
        return ""
    offers = ((player, offer) for player in view["players"] for offer in player["tiles_on_offer"])
    seller, offer = next((p, o) for p, o in offers if o["tile"] == action["body"]["tile"])
    return f" from {quoted(seller['name'])} for {offer['price']}"
