"""The text of a decision: what a seat may see, and its legal actions, numbered and grouped.

A view is that of `skye.views.game_view` with what a server adds: `id`, `status`, `you`, names of players, and
`actions`, each with `type`, `body` and, for an offer, `constraints`. `local_decision` adds them to a game of
the engine.
`CONVENTIONS` says what coordinates, sides and rotations mean.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from skye.rulesets import BASE, Ruleset, ruleset_of
from skye.tiles import OBJECTS, RotatedTile, Terrain
from skye.views import PlacementGainsView, placement_gains_view
from skye_gym.agents.facts import Facts, Json, Trades
from skye_gym.agents.teaching import CONVENTIONS, number_word
from skye_gym.agents.wording import PLAIN, Wording

MAX_TAKE_BACKS: Final = 3
"""How often a seat may take back a placement in a round: an agent must not do so for ever."""


def numbered_actions(actions: Sequence[Json]) -> list[Json]:
    """Return the legal actions that have numbers in the text: all but `take_back`, a word of its own.

    >>> numbered_actions([{"type": "take_back"}, {"type": "finish_building"}])
    [{'type': 'finish_building'}]
    """
    return [action for action in actions if action["type"] != "take_back"]


def take_backs_left(view: Json, events: Sequence[Json]) -> int:
    """Return how often the caller's seat may take back a placement yet in this round; 0 if there is none.

    >>> take_backs_left({"you": {"seat": 0}, "actions": [{"type": "take_back"}]}, [])
    3
    """
    if not any(action["type"] == "take_back" for action in view["actions"]):
        return 0
    since = 0
    for event in events:
        if event["type"] == "round_started":
            since = 0
        elif event["type"] == "placement_taken_back" and event["seat"] == view["you"]["seat"]:
            since += 1
    return max(0, MAX_TAKE_BACKS - since)


def decision_id(view: Json) -> str:
    """Return what identifies the legal actions of the caller's seat in a view with `actions`.

    >>> decision_id({"id": "g", "round": 1, "phase": "buying", "actions": []})
    'e53791da'
    """
    listed = [view["id"], view["round"], view["phase"], view["actions"]]
    return hashlib.sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()[:8]


def decision_text(
    view: Json, events: Sequence[Json] = (), *, listed: bool = True, wording: Wording = PLAIN
) -> str:
    """Return the decision of the caller's seat: all that the seat may know, and its legal actions.

    It follows from the view and the events of the seat alone, so that it contains nothing hidden.

    >>> import skye, skye_gym.agents
    >>> skye_gym.agents.local_decision(skye.new_game(2, seed="text").game, 0).splitlines()[1]
    'Round 1 of 6, phase pricing.'

    :param view: the view of the game, with `actions`.
    :param events: all events of the game so far, as the seat sees them. Without them the text has no counted
        gold, no points so far, no prices of the last round, and nothing that happened.
    :param listed: whether the text lists the legal actions; otherwise it has only what they follow from.
    :param wording: the words and the orientation.
    :raises ValueError: when there is no such ruleset here.
    """
    facts = Facts(view, events)
    listing = _actions(facts, wording) if listed else _limits(view, wording)
    lines = [
        *_heading(view, decision_id(view)),
        CONVENTIONS,
        _short_form(wording),
        f"Ruleset {view['ruleset']}. Gold of others is counted from what all can see.",
        _TIES[view["options"]["tie_break"]].format(facts.ruleset.final.gold_per_point),
        *_scoring_tiles(facts, wording),
        *_players(view, [_facts_of(facts, player, wording) for player in view["players"]]),
        *_territories(facts, wording),
        *_offers(view, wording),
        *_rounds(facts),
        *_since(facts, wording),
        *_bag(view, wording),
        *listing,
    ]
    return wording.text("\n".join(lines))


_TIES: Final = {
    "leftover_gold": "A tie is broken by the gold left after each {} gold are a point; then it is shared.",
    "total_gold": "A tie is broken by all the gold; then it is shared.",
}
"""How a tie for the win is broken, by the option of the game."""


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
    sides = "/".join(terrain.label for terrain in wording.sides(turned.edges))
    return ", ".join(
        [f"{tile} sides {sides}", f"middle {turned.tile.center.label}", *_features(turned, wording)]
    )


def _features(turned: RotatedTile, wording: Wording) -> Iterator[str]:
    """Yield the roads, objects and scroll of a tile."""
    its = turned.tile
    roads = " and ".join("+".join(wording.side(side) for side in road) for road in turned.roads)
    if roads:
        yield f"roads {roads}"
    yield from (f"{count} {name}" for name, count in zip(OBJECTS, its.counts, strict=True) if count)
    if its.scroll:
        yield f"scroll {its.scroll}"


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


def _scoring_tiles(facts: Facts, wording: Wording) -> Iterator[str]:
    seats = ", ".join(map(str, facts.seats))
    yield f"\nScoring tiles (slot, rounds that score it; points of seats {seats}: if it scored now / so far):"
    for tile in facts.view["scoring_tiles"]:
        slot = tile["slot"]
        scored = " THIS ROUND" if facts.view["round"] in tile["rounds"] else ""
        rounds = ", ".join(map(str, tile["rounds"]))
        now = [_or(worth[slot], "hidden") for worth in facts.worth]
        so_far = [_or(points.get(slot, 0), "?") for points in facts.points]
        points = ", ".join(f"{now[seat]}/{so_far[seat]}" for seat in facts.seats)
        name = wording.scoring_tile(tile["scoring_tile"])
        yield f"  {slot} {name} (rounds {rounds}{scored}): {points}"


def _or(number: int | None, word: str) -> str:
    return word if number is None else str(number)


_ENDS: Final = {
    "resigned": " (resigned)",
    "out_of_time": " (out of time)",
    "took_over": " (the server took over)",
    "absent": " (absent)",
}
"""What a player who cannot win is called, by how the seat would end."""


def _players(view: Json, facts: Sequence[str] = ()) -> Iterator[str]:
    """Yield a line for each player.

    :param facts: by seat, what a decision shows in addition.
    """
    waiting = ", ".join(map(str, view["waiting_for"])) or "nobody"
    yield f"\nPlayers (seat {view['starting_seat']} starts the round; waiting for {waiting}):"
    for player in view["players"]:
        gold = "hidden" if player["gold"] is None else player["gold"]
        count = len(player["territory"])
        you = " (you)" if player["seat"] == view["you"]["seat"] else ""
        end = player.get("end", {}).get("type", "played")
        you += _ENDS.get(end, "")
        name = f"seat {player['seat']} {quoted(player['name'])}{you}"
        more = facts[player["seat"]] if facts else ""
        yield f"  {name}: {player['score']} points, gold {gold}, {count} tiles{more}"


def _facts_of(facts: Facts, player: Json, wording: Wording) -> str:
    """Return what a decision shows of a player in addition: the rest of the view, and what follows."""
    seat, is_pricing = player["seat"], facts.view["phase"] == "pricing"
    parts = [""]
    if player["gold"] is None and facts.purses is not None:
        on_tiles = " with its tiles" if is_pricing else ""
        parts.append(f"counted {facts.purses[seat]}{on_tiles}")
    if facts.incomes:
        parts.append(f"next income {facts.incomes[seat].total}")
    parts.append(f"{facts.scroll_points[seat]} by scrolls")
    parts += [" ".join(_objects(facts.summaries[seat].counts))] if any(facts.summaries[seat].counts) else []
    parts.append(player["color"])
    if is_pricing and player["offer_set"]:
        parts.append("offer set")
    if player["building_finished"]:
        parts.append("building finished")
    if player["tiles_to_build"]:
        tiles = (f"{tile} {_short(tile, 0, wording, facts.ruleset)}" for tile in player["tiles_to_build"])
        parts.append(f"in hand: {'; '.join(tiles)}")
    return ", ".join(parts)


def _short(tile: str, rotation: int, wording: Wording, ruleset: Ruleset) -> str:
    """Return the features of a tile in short: `pmwp/m ES 2she *farm` (see `_short_form`)."""
    turned = ruleset.tiles.rotated[tile, rotation]
    edges = "".join(_letter(terrain, wording) for terrain in wording.sides(turned.edges))
    roads = "+".join("".join(wording.side(side)[0].upper() for side in road) for road in turned.roads)
    scroll = f"*{turned.tile.scroll}" if turned.tile.scroll else ""
    middle = _letter(turned.tile.center, wording)
    parts = [f"{edges}/{middle}", roads, *_objects(turned.tile.counts), scroll]
    return " ".join(part for part in parts if part)


def _objects(counts: Sequence[int]) -> Iterator[str]:
    """Yield the objects of a tile or a territory in short."""
    for name, count in zip(OBJECTS, counts, strict=True):
        if count:
            yield f"{count if count > 1 else ''}{name[:_SHORT]}"


_SHORT: Final = 3
"""How many letters of the name of an object are in the short features of a tile."""


def _letter(terrain: Terrain, wording: Wording) -> str:
    return wording.text(terrain.label)[0]


def _short_form(wording: Wording) -> str:
    """Return what the short features of tiles mean."""
    letters = ", ".join(f"{_letter(terrain, wording)} {terrain.label}" for terrain in Terrain)
    objects = ", ".join(f"{name[:_SHORT]} {name}" for name in OBJECTS)
    return (
        f"Tiles in short: sides/middle ({letters}); roads by the sides that each joins (ES joins two, "
        f"N+S are two that end inside); objects ({objects}; 2shi is two); *KIND is a scroll."
    )


def _territories(facts: Facts, wording: Wording) -> Iterator[str]:
    yield "\nTerritories (cell, tile, rotation, features as it lies):"
    for player in facts.view["players"]:
        you = " (you)" if player["seat"] == facts.seat else ""
        cells = "; ".join(_cell(each, wording, facts.ruleset) for each in player["territory"])
        yield f"  seat {player['seat']}{you}: {cells}"


def _cell(placed: Json, wording: Wording, ruleset: Ruleset) -> str:
    tile, rotation = placed["tile"], placed["rotation"]
    features = _short(tile, rotation, wording, ruleset)
    return f"({wording.x(placed['x'])},{placed['y']}) {tile} r{wording.rotation(rotation)} {features}"


def _rounds(facts: Facts) -> Iterator[str]:
    """Yield the discards, prices and purchases of all rounds, so far as the seat may know them."""
    if not facts.trades:
        return
    form = "s0 is seat 0: -discard, tile=price, +purchase"
    yield f"\nDiscards, prices and purchases by round ({form}):"
    for trades in facts.trades:
        seats = [f"s{seat} {_trades_of(trades, seat)}" for seat in facts.seats]
        yield f"  round {trades.round}: {'; '.join(seats)}"


def _trades_of(trades: Trades, seat: int) -> str:
    offer, purchase = trades.offers.get(seat), trades.purchases.get(seat)
    parts = []
    if offer is not None:
        prices = "".join(f" {tile}={price}" for tile, price in offer["prices"].items())
        parts.append(f"-{offer['discard']}{prices}")
    if purchase is not None:
        parts.append(f"+{purchase['tile']}" if purchase["type"] == "tile_bought" else "passed")
    return " ".join(parts) or "unknown"


def _purchase(event: Json) -> str:
    if event["type"] == "purchase_passed":
        return "passed"
    return f"bought {event['tile']} from seat {event['seller']} for {event['price']}"


def _since(facts: Facts, wording: Wording) -> Iterator[str]:
    """Yield what happened since the last decision of the seat."""
    lines: list[str] = []
    moves: dict[int, list[str]] = {}
    for event in facts.since:
        words = _words(event, wording)
        if "seat" in event and words:
            moves.setdefault(event["seat"], []).append(words)
        elif words:
            lines += [*_moves(moves), f"  {words}"]
            moves.clear()
    lines += _moves(moves)
    if lines:
        yield "\nSince your last decision:"
        yield from lines


def _moves(by_seat: Mapping[int, Sequence[str]]) -> Iterator[str]:
    for seat, words in by_seat.items():
        yield f"  seat {seat} {', '.join(words)}"


def _words(event: Json, wording: Wording) -> str:
    """Return an event in words; empty if the rest of the text shows it."""
    match event["type"]:
        case "tile_bought" | "purchase_passed":
            return _purchase(event)
        case "tile_placed":
            return f"placed {event['tile']} ({wording.x(event['x'])},{event['y']})"
        case "placement_taken_back":
            return f"took {event['tile']} back"
        case "building_finished":
            return "finished"
        case "round_scored":
            scored = (
                f"seat {each['seat']} "
                + " ".join(f"{tile['slot']}+{tile['points']}" for tile in each["scoring_tiles"])
                for each in event["players"]
            )
            return f"the round scored: {', '.join(scored)}"
        case "income_paid":
            paid = ", ".join(f"seat {each['seat']} {each['total']}" for each in event["players"])
            return f"income: {paid}"
        case _:
            return ""


def _bag(view: Json, wording: Wording) -> Iterator[str]:
    ruleset = ruleset_of(view["ruleset"])
    tiles = sorted(view["bag"]["tiles"], key=wording.text)
    yield f"\nBag ({view['bag']['count']} tiles):"
    if tiles:
        yield "  " + "; ".join(f"{tile} {_short(tile, 0, wording, ruleset)}" for tile in tiles)


def territory_lines(
    placed: Sequence[Json], wording: Wording = PLAIN, ruleset: Ruleset = BASE
) -> Iterator[str]:
    """Yield a line for each placed tile.

    >>> [*territory_lines([{"tile": "castle-red", "x": 0, "y": 0, "rotation": 0}])]
    ['  (0, 0) r0: castle-red sides pasture/water/pasture/mountain, middle pasture, roads north+south+west']
    """
    for each in placed:
        text = tile_text(each["tile"], each["rotation"], wording, ruleset)
        rotation = wording.rotation(each["rotation"])
        yield f"  ({wording.x(each['x'])}, {each['y']}) r{rotation}: {text}"


def _offers(view: Json, wording: Wording) -> Iterator[str]:
    if view["phase"] == "building":
        return
    ruleset = ruleset_of(view["ruleset"])
    yield "\nTiles on offer:"
    for player in view["players"]:
        for offer in player["tiles_on_offer"]:
            price = "" if offer["price"] is None else f" for {offer['price']}"
            marked = ", marked for discard" if offer["discard"] else ""
            text = f"{offer['tile']} {_short(offer['tile'], 0, wording, ruleset)}"
            yield f"  of seat {player['seat']}{price}{marked}: {text}"


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


def _actions(facts: Facts, wording: Wording) -> Iterator[str]:
    view = facts.view
    left = take_backs_left(view, facts.events)
    if left:
        yield f"\nTake back: your last placement of this round, at most {left} more times."
    yield "\nLegal actions (number: action; of a placement number: rotation, gains by slot):"
    numbered = list(enumerate(numbered_actions(view["actions"]), 1))
    for number, action in numbered:
        if action["type"] == "set_offer":
            yield from _offer_limits(action)
        if action["type"] != "place":
            yield f"  {number}: {action_text(action, wording)}{_price(view, action)}"
    placements = [(number, one) for number, one in numbered if one["type"] == "place"]
    tiles = dict.fromkeys(one["body"]["tile"] for _, one in placements)
    places = [place for tile in tiles for place in placement_gains_view(facts.game, facts.seat, tile)]
    yield from _placements(placements, places, wording, facts.ruleset)


def _placements(
    numbered: Sequence[tuple[int, Json]],
    places: Sequence[PlacementGainsView],
    wording: Wording,
    ruleset: Ruleset,
) -> Iterator[str]:
    """Yield the placements, a line for each tile and cell, with their gains."""
    gains = {_place(place): place["gains"] for place in places}
    for tile, of_tile in groupby(numbered, lambda entry: entry[1]["body"]["tile"]):
        yield f"  Place {tile} {_short(tile, 0, wording, ruleset)}:"
        for cell, entries in groupby(of_tile, lambda entry: (entry[1]["body"]["x"], entry[1]["body"]["y"])):
            shown = [
                f"{number}: {wording.rotation(body['rotation'])}{_gains(gains.get(_place(body), ()))}"
                for number, body in ((number, action["body"]) for number, action in entries)
            ]
            yield f"    at ({wording.x(cell[0])}, {cell[1]}): {'; '.join(shown)}"


def _place(body: Mapping[str, Any] | PlacementGainsView) -> tuple[Any, ...]:
    return body["tile"], body["x"], body["y"], body["rotation"]


def _gains(gains: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f" {gain['slot']}{gain['points']:+}" for gain in gains if gain["points"])


def _price(view: Json, action: Json) -> str:
    if action["type"] != "buy":
        return ""
    offers = ((player, offer) for player in view["players"] for offer in player["tiles_on_offer"])
    seller, offer = next((p, o) for p, o in offers if o["tile"] == action["body"]["tile"])
    return f" from seat {seller['seat']} for {offer['price']}"
