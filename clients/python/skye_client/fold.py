"""Apply events to a view of a game (a fold).

    view = game.get()
    for event in game.events(after=view["last_event"]):
        fold(view, event)

Or start with the first event and the ids of all tiles of the game's ruleset:

    ruleset = game.get()["ruleset"]
    view = empty_view([tile["id"] for tile in catalogue.tiles(ruleset)], ruleset)
    for event in game.events():
        fold(view, event)

After the last event of a version, `view` equals the response of `GET /v1/games/{game}` for the same caller,
except that `now` is the time of the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

if TYPE_CHECKING:
    from skye_client.models import Event, Game

_View: TypeAlias = dict[str, Any]
_Players: TypeAlias = list[dict[str, Any]]
_Event: TypeAlias = Mapping[str, Any]

_CASTLE = {"x": 0, "y": 0, "rotation": 0}
_PLAYED: Final = {
    "type": "played",
    "at": None,
    "bot": None,
    "round": None,
    "phase": None,
    "missed_deadlines": 0,
    "server_decisions": 0,
    "decisions": 0,
}
_DECISIONS: Final = 3
"""How many decisions a seat makes in each round."""

_OF_CREATION = (
    "name",
    "ruleset",
    "visibility",
    "seat_count",
    "auto_start",
    "options",
    "origin",
    "scoring_tiles",
    "fairness",
    "rated",
)


class UnknownRulesetError(ValueError):
    """A view has the tiles of another ruleset than the game."""


def empty_view(tiles: Iterable[str], ruleset: str, color: str | None = None, *, host: bool = False) -> Game:
    """Return the view of a caller before the first event.

    :param tiles: the ids of all tiles of the ruleset.
    :param ruleset: the id of the ruleset of the game.
    :param color: the colour of the caller's seat.
    :param host: whether the caller has the host token.
    """
    landscape = sorted(tile for tile in tiles if not tile.startswith("castle-"))
    view: _View = {
        "ruleset": ruleset,
        "status": "lobby",
        "reserved_seats": 0,
        "you": {"seat": None, "roles": ["host"] if host else [], "color": color},
        "deadline": None,
        "round": 0,
        "round_count": None,
        "phase": None,
        "waiting_for": [],
        "bag": {"count": len(landscape), "tiles": landscape},
        "players": [],
        "result": None,
        "proposal": None,
        "pause": None,
        "abort_reason": None,
    }
    return cast("Game", view)


def fold(view: Game, event: Event) -> None:
    """Apply one event to a view. An event of an unknown type changes the version and nothing else.

    :raises UnknownRulesetError: when `game_created` names another ruleset than the view.
    """
    folded = cast("_View", view)
    if event["type"] == "game_created" and event["ruleset"] != view["ruleset"]:
        raise UnknownRulesetError(
            f"The view has the tiles of the ruleset {view['ruleset']}; begin with those of "
            f"{event['ruleset']}, from GET /v1/tiles with ruleset={event['ruleset']}"
        )
    folded["version"], folded["last_event"] = event["version"], event["id"]
    folded["now"] = event["at"]
    apply = _FOLDS.get(event["type"])
    if apply is not None:
        apply(folded, folded["players"], cast("_Event", event))


def _game_created(view: _View, players: _Players, event: _Event) -> None:
    """Copy the options of the game."""
    for field in _OF_CREATION:
        view[field] = deepcopy(event[field])  # the view changes its own copy
    view["id"], view["created_at"] = event["game_id"], event["at"]
    view["starting_seat"] = event["options"]["first_seat"]
    if not event["options"]["hints"]:
        view["bag"]["tiles"] = None


def _player_joined(view: _View, players: _Players, event: _Event) -> None:
    """Add a player, with a castle."""
    if view["you"].get("color") == event["color"]:
        _sit(view, event["seat"])
    players.append(_seated(event))
    players.sort(key=lambda player: int(player["seat"]))


def _seated(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a player who has not played yet."""
    return {
        **{field: entry[field] for field in ("seat", "name", "color", "bot")},
        "deadline": None,
        "clock": None,
        "takeover": None,
        "end": dict(_PLAYED),
        "score": 0,
        "gold": 0,
        "tiles_on_offer": [],
        "tiles_to_build": [],
        "offer_set": False,
        "building_finished": False,
        "territory": [{"tile": f"castle-{entry['color']}", **_CASTLE}],
    }


def _player_left(view: _View, players: _Players, event: _Event) -> None:
    """Remove a player; no other seat moves."""
    players[:] = [player for player in players if player["seat"] != event["seat"]]
    if view["you"]["seat"] == event["seat"]:
        _sit(view, None)


def _player_changed(view: _View, players: _Players, event: _Event) -> None:
    """Change the name and the colour of a player, and with it the castle."""
    seat, color = event["seat"], event["color"]
    castle = {"tile": f"castle-{color}", **_CASTLE}
    player = next(player for player in players if player["seat"] == seat)
    player.update(name=event["name"], color=color, territory=[castle])
    if view["you"].get("color") == color:
        _sit(view, seat)


def _invitation_created(view: _View, players: _Players, event: _Event) -> None:
    """Reserve a seat."""
    view["reserved_seats"] += 1


def _reservation_ended(view: _View, players: _Players, event: _Event) -> None:
    """End a reservation; a player who accepted an invitation joins in the event that follows."""
    view["reserved_seats"] -= 1


def _game_started(view: _View, players: _Players, event: _Event) -> None:
    """Close the lobby, and the gaps between its seats."""
    view["status"], view["reserved_seats"] = "playing", 0
    now = {entry["lobby_seat"]: entry["seat"] for entry in event["players"]}
    players[:] = [_seated(entry) for entry in event["players"]]
    for player in players:
        player["end"]["decisions"] = _DECISIONS * event["round_count"]
    _sit(view, now.get(view["you"]["seat"]))
    view["options"]["first_seat"] = now.get(view["options"]["first_seat"])
    for field in ("scoring_tiles", "starting_seat", "round_count"):
        view[field] = event[field]


def _position_set(view: _View, players: _Players, event: _Event) -> None:
    """Set the position from which the game starts, which can be its end."""
    for field in ("round", "round_count", "starting_seat", "scoring_tiles", "bag", "result"):
        view[field] = deepcopy(event[field])
    for player, seat in zip(players, deepcopy(event["players"]), strict=True):
        player.update(seat)
    if event["result"] is not None:
        view["status"] = "finished"
        view["fairness"]["seed"] = event["seed"]
        view["fairness"]["nonce"] = event["nonce"]


def _round_started(view: _View, players: _Players, event: _Event) -> None:
    """Begin a round."""
    view["round"], view["starting_seat"] = event["round"], event["starting_seat"]
    for player in players:
        player["offer_set"] = player["building_finished"] = False


def _set_gold(view: _View, players: _Players, event: _Event) -> None:
    """Update the purses that the viewer may see."""
    for entry in event["players"]:
        players[entry["seat"]]["gold"] = entry["gold"]


def _tiles_drawn(view: _View, players: _Players, event: _Event) -> None:
    """Move tiles out of the bag."""
    for entry in event["players"]:
        drawn = [{"tile": tile, "price": None, "discard": None} for tile in entry["tiles"]]
        players[entry["seat"]]["tiles_on_offer"] = drawn
        _bag(view, out=entry["tiles"])


def _offer_set(view: _View, players: _Players, event: _Event) -> None:
    """Mark the offer as set; only its seat sees the contents."""
    player = players[event["seat"]]
    player["offer_set"] = True
    if event["discard"] is not None:
        player["gold"] = event["gold"]
        _price(player, event)


def _offers_revealed(view: _View, players: _Players, event: _Event) -> None:
    """Show every offer."""
    _set_gold(view, players, event)
    for entry in event["players"]:
        _price(players[entry["seat"]], entry)


def _tiles_discarded(view: _View, players: _Players, event: _Event) -> None:
    """Return the discarded tiles to the bag."""
    for player in players:
        player["tiles_on_offer"] = [d for d in player["tiles_on_offer"] if d["tile"] not in event["tiles"]]
    _bag(view, back=event["tiles"])


def _tile_bought(view: _View, players: _Players, event: _Event) -> None:
    """Move a tile from the seller to the buyer, and gold the other way."""
    _set_gold(view, players, event)
    seller = players[event["seller"]]
    seller["tiles_on_offer"] = [d for d in seller["tiles_on_offer"] if d["tile"] != event["tile"]]
    players[event["seat"]]["tiles_to_build"].append(event["tile"])


def _tiles_kept(view: _View, players: _Players, event: _Event) -> None:
    """Move unsold tiles to the hands of their owners."""
    for entry in event["players"]:
        player = players[entry["seat"]]
        player["tiles_on_offer"] = []
        player["tiles_to_build"] += entry["tiles"]


def _tile_placed(view: _View, players: _Players, event: _Event) -> None:
    """Move a tile from the hand to the territory."""
    player = players[event["seat"]]
    player["tiles_to_build"].remove(event["tile"])
    player["territory"].append({field: event[field] for field in ("tile", "x", "y", "rotation")})


def _placement_taken_back(view: _View, players: _Players, event: _Event) -> None:
    """Move the last tile back into the hand."""
    player = players[event["seat"]]
    player["tiles_to_build"].append(player["territory"].pop()["tile"])


def _building_finished(view: _View, players: _Players, event: _Event) -> None:
    """Return tiles without a legal place to the bag."""
    player = players[event["seat"]]
    player["building_finished"], player["tiles_to_build"] = True, []
    _bag(view, back=event["tiles_returned"])


def _round_scored(view: _View, players: _Players, event: _Event) -> None:
    """Update points."""
    for entry in event["players"]:
        players[entry["seat"]]["score"] = entry["score"]


def _game_finished(view: _View, players: _Players, event: _Event) -> None:
    """Reveal the purses, the seed and the result."""
    _set_gold(view, players, event)
    _round_scored(view, players, event)
    view["status"], view["result"] = "finished", event["result"]
    view["bag"] = deepcopy(event["bag"])
    view["fairness"]["seed"] = event["seed"]
    view["fairness"]["nonce"] = event["nonce"]


def _game_aborted(view: _View, players: _Players, event: _Event) -> None:
    """End the game without a result."""
    view.update(status="aborted", reserved_seats=0, abort_reason=event["reason"], pause=None)


def _proposal_made(view: _View, players: _Players, event: _Event) -> None:
    """Open a proposal."""
    view["proposal"] = {**{field: event[field] for field in ("kind", "seat", "expires_at")}, "agreed": []}


def _proposal_answered(view: _View, players: _Players, event: _Event) -> None:
    """Add a seat that has accepted the proposal."""
    if event["accepted"]:
        view["proposal"]["agreed"].append(event["seat"])


def _proposal_ended(view: _View, players: _Players, event: _Event) -> None:
    """Close the proposal."""
    view["proposal"] = None


def _game_paused(view: _View, players: _Players, event: _Event) -> None:
    """Pause the game."""
    view["pause"] = {"until": event["until"]}


def _game_resumed(view: _View, players: _Players, event: _Event) -> None:
    """End the pause."""
    view["pause"] = None
    _count_as_absent(players, event)


def _turn_changed(view: _View, players: _Players, event: _Event) -> None:
    """Update the seats that must act, their deadlines, and the clocks."""
    for field in ("phase", "waiting_for"):
        view[field] = event[field]
    _set_times(view, players, event)


def _record_replayed(view: _View, players: _Players, event: _Event) -> None:
    """Let bots play the seats that were given up in the record."""
    for player, bot in zip(players, event["bots"], strict=True):
        player["bot"] = bot or player["bot"]


def _time_added(view: _View, players: _Players, event: _Event) -> None:
    """Move the times of the game by those of an outage."""
    _set_times(view, players, event)
    if view["proposal"] is not None:
        view["proposal"]["expires_at"] = event["proposal_expires_at"]
    if view["pause"] is not None:
        view["pause"]["until"] = event["paused_until"]
    _count_as_absent(players, event)


def _set_times(view: _View, players: _Players, event: _Event) -> None:
    """Update the deadlines and the clocks."""
    view["deadline"] = event["deadline"]
    for player, deadline in zip(players, event["deadlines"], strict=True):
        player["deadline"] = deadline
    for player, clock in zip(players, event["clocks"] or (), strict=False):
        player["clock"] = clock


def _count_as_absent(players: _Players, event: _Event) -> None:
    """Update when take-overs count as absence."""
    for player, time in zip(players, event["counts_as_absent_at"], strict=True):
        if player["takeover"] is not None:
            player["takeover"]["counts_as_absent_at"] = time


def _bot_took_over(view: _View, players: _Players, event: _Event) -> None:
    """Let a bot play for a seat, whose player may return or not; who resigned becomes a spectator."""
    player = players[event["seat"]]
    player["bot"], player["takeover"] = event["bot"], None
    if event["counts_as_absent_at"] is not None:
        takeover = {field: event[field] for field in ("bot", "round", "phase", "counts_as_absent_at")}
        player["takeover"] = {**takeover, "at": event["since"]}
    if event["reason"] == "resigned" and view["you"]["seat"] == event["seat"]:
        _sit(view, None)


def _seat_returned(view: _View, players: _Players, event: _Event) -> None:
    """Let the player play the seat again, or its bot at a URL."""
    players[event["seat"]].update(bot=event["bot"], takeover=None)


def _end_changed(view: _View, players: _Players, event: _Event) -> None:
    """Update how a seat would end now."""
    players[event["seat"]]["end"] = dict(event["end"])


def _bot_changed(view: _View, players: _Players, event: _Event) -> None:
    """Let a bot at a URL play a seat, or its player again."""
    players[event["seat"]]["bot"] = event["bot"]


def _sit(view: _View, seat: int | None) -> None:
    """Set the seat of the caller, and whether the caller is a player."""
    others = [role for role in view["you"]["roles"] if role != "player"]
    view["you"].update(seat=seat, roles=others if seat is None else [*others, "player"])


def _price(player: dict[str, Any], offer: _Event) -> None:
    for drawn in player["tiles_on_offer"]:
        drawn["price"] = offer["prices"].get(drawn["tile"])
        drawn["discard"] = drawn["tile"] == offer["discard"]


def _bag(view: _View, out: Iterable[str] = (), back: Iterable[str] = ()) -> None:
    bag = view["bag"]
    tiles = None if bag["tiles"] is None else sorted({*bag["tiles"], *back} - {*out})
    view["bag"] = {"count": bag["count"] + len([*back]) - len([*out]), "tiles": tiles}


_FOLDS: Final[Mapping[str, Callable[[_View, _Players, _Event], None]]] = {
    "game_created": _game_created,
    "player_joined": _player_joined,
    "player_left": _player_left,
    "player_changed": _player_changed,
    "invitation_created": _invitation_created,
    "invitation_accepted": _reservation_ended,
    "invitation_revoked": _reservation_ended,
    "game_started": _game_started,
    "position_set": _position_set,
    "round_started": _round_started,
    "tiles_drawn": _tiles_drawn,
    "offer_set": _offer_set,
    "offers_revealed": _offers_revealed,
    "tiles_discarded": _tiles_discarded,
    "tile_bought": _tile_bought,
    "tiles_kept": _tiles_kept,
    "tile_placed": _tile_placed,
    "placement_taken_back": _placement_taken_back,
    "building_finished": _building_finished,
    "round_scored": _round_scored,
    "game_finished": _game_finished,
    "game_aborted": _game_aborted,
    "proposal_made": _proposal_made,
    "proposal_answered": _proposal_answered,
    "proposal_ended": _proposal_ended,
    "game_paused": _game_paused,
    "game_resumed": _game_resumed,
    "turn_changed": _turn_changed,
    "time_added": _time_added,
    "bot_took_over": _bot_took_over,
    "seat_returned": _seat_returned,
    "record_replayed": _record_replayed,
    "end_changed": _end_changed,
    "bot_changed": _bot_changed,
    "income_paid": _set_gold,
}
