"""Open a game from the body of a creation request: new, or from a record, a position or a scenario."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from skye import Action, GameState, InvalidPosition, Phase, TieBreak, game_from_position
from skye.bots import BOT_PROFILES
from skye.rulesets import BASE, Ruleset, ruleset_of
from skye_server.error_codes import MAX_ERRORS, FieldError, Problem
from skye_server.games import lobby
from skye_server.games.authorization import HOST_ROLE, INVITE_ROLE, TokenSource, hash_token
from skye_server.games.game import (
    Clock,
    Game,
    GameOptions,
    OnTimeout,
    Origin,
    OriginType,
    PublicFrom,
    Seat,
    SeedSource,
    Visibility,
    free_name,
)
from skye_server.games.scenarios import SCENARIOS, position_of_scenario
from skye_server.games.seat_ends import SUBSTITUTE_BOT, SeatEnd, SeatOutcome
from skye_server.games.transitions import Transition

_TITLES: Final = {profile.name: profile.title for profile in BOT_PROFILES}

MAX_BATCH_COST = 200
"""The maximum of the sum of `computing_cost` for the games of one request."""

_ACTIONS_PER_UNIT = 250
"""Recorded actions that take as long to load and replay as a bot takes for a game."""


def body_from_record(body: dict[str, Any]) -> dict[str, Any]:
    """Return the creation request of a recorded game, which starts with the recorded draws.

    :raises Problem: game_not_over, if the record hides the seed or an action.
    """
    record = body["record"]
    if record["options"]["seed"] is None or None in record["actions"]:
        raise Problem("game_not_over", "This needs the record of a finished game.")
    chosen = {name: value for name, value in record["options"].items() if value is not None}
    players, options = record["players"], chosen | body["options"]
    begun = {"players": players, "seat_count": len(players), "auto_start": False, "options": options}
    return body | begun | {"ruleset": record.get("ruleset", BASE.id)}


def computing_cost(body: dict[str, Any]) -> int:
    """Return the cost of computing the moves of bots and recorded actions: 1 for each bot of the game.

    Bots count although they play only later: one cheap request can start a game of bots only.
    """
    actions = recorded_actions(body) // _ACTIONS_PER_UNIT
    if "record" in body:
        return actions
    return actions + sum("bot" in player or "bot_url" in player for player in body["players"])


def recorded_actions(body: dict[str, Any]) -> int:
    """Return how many recorded actions a new game begins with."""
    if "record" in body:
        until = body.get("stop_at")
        return len(body["record"]["actions"][: None if isinstance(until, dict) else until])
    return len(SCENARIOS[body["scenario"]].actions) if "scenario" in body else 0


def check_batch(bodies: Sequence[dict[str, Any]], budget: int) -> int:
    """Return the cost of several games to create in one request: 1 for each, plus its computing cost.

    :param budget: the maximum cost of a client in a minute; 0 for no limit.
    :raises Problem: invalid_body, if the computing cost is too high, or the cost exceeds the whole budget.
    """
    computed = sum(computing_cost(body) for body in bodies)
    if computed > MAX_BATCH_COST:
        detail = f"At most {MAX_BATCH_COST} bots can be seated at once, or 250 recorded actions for each."
        raise Problem("invalid_body", errors=[FieldError("/games", detail)])
    if 0 < budget < len(bodies) + computed:
        detail = f"These cost {len(bodies) + computed} games; an address may create {budget} a minute here."
        raise Problem("invalid_body", errors=[FieldError("/games", detail)])
    return len(bodies) + computed


def requested_game(
    body: dict[str, Any], game_id: str, host: str, now_ms: int, origin: Origin | None = None
) -> Game:
    """Return the requested game, without its players.

    :param host: the hash of the host token, or empty.
    :raises Problem: invalid_setup, if the game cannot have the first seat; invalid_body, if the ruleset has
        no such number of seats, colour or scoring tiles.
    """
    players, ruleset = body["players"], ruleset_of(body["ruleset"])
    default = len(players) if body["auto_start"] and len(players) > 1 else ruleset.players[-1]
    capacity = body.get("seat_count", default)
    check_first_seat(body["options"].get("first_seat", 0), capacity)
    _check_ruleset(ruleset, capacity, body)
    options = _options(body["options"] | {"ruleset": ruleset.id})
    return Game(
        id=game_id,
        name=body["name"],
        host=host,
        options=options,
        created_ms=now_ms,
        capacity=capacity,
        private=body["visibility"] == Visibility.PRIVATE,
        start_when_full=body["auto_start"],
        origin=origin,
        clock_ms=now_ms if options.clock is Clock.MANUAL else None,
        ruleset_hash=ruleset.data.hash,
    )


def check_first_seat(first_seat: int, capacity: int) -> None:
    """Check that a game has the seat that is to start it.

    :raises Problem: invalid_setup.
    """
    if first_seat >= capacity:
        detail = f"The first seat is {first_seat}, but the game has {capacity} seats."
        raise Problem("invalid_setup", detail, seat=first_seat, seat_count=capacity)


def check_seats(ruleset: Ruleset, seats: int) -> None:
    """Check that a ruleset has games for a number of seats.

    :raises Problem: invalid_body.
    """
    if seats not in ruleset.players:
        detail = f"{ruleset.players[0]} to {ruleset.players[-1]} can play {ruleset.id}."
        raise Problem("invalid_body", errors=[FieldError("/seat_count", detail)])


def _check_ruleset(ruleset: Ruleset, capacity: int, body: dict[str, Any]) -> None:
    slots, tiles = ruleset.slots, body["options"].get("scoring_tiles")
    check_seats(ruleset, capacity)
    errors = []
    if tiles is not None and not len(tiles) == len({*tiles} & ruleset.scoring_tiles.keys()) == len(slots):
        detail = f"These are not {len(slots)} different scoring tiles of {ruleset.id}."
        errors.append(FieldError("/options/scoring_tiles", detail))
    errors += [
        FieldError(
            f"/players/{number}/color", f"The colours of {ruleset.id} are {', '.join(ruleset.colors)}."
        )
        for number, player in enumerate(body["players"])
        if isinstance(player, dict) and player.get("color") not in (None, *ruleset.colors)
    ]
    if errors:
        raise Problem("invalid_body", errors=errors)


def state_from_body(position: dict[str, Any], pointer: str) -> GameState:
    """Return the game of a position that a client has sent; missing fields are completed.

    :param pointer: the JSON pointer to the position in the body.
    :raises Problem: invalid_body, with a JSON pointer and a reason for each fault.
    """
    named = {field: value for field, value in position.items() if value is not None or field == "phase"}
    try:
        return game_from_position(named, secrets.token_hex(16))
    except InvalidPosition as error:
        faults = [FieldError(f"{pointer}{at}", f"{text[0].upper()}{text[1:]}.") for at, text in error.faults]
        raise Problem("invalid_body", errors=faults[:MAX_ERRORS]) from error


def body_from_position(body: dict[str, Any], game: GameState) -> dict[str, Any]:
    """Return the creation request of a game that begins from a position, with its players and options.

    :raises Problem: invalid_body, if there are names or bots for another number of players.
    """
    players, number = body["players"], len(game.players)
    if players and len(players) != number:
        detail = f"The position has {number} players; name as many, or none."
        raise Problem("invalid_body", errors=[FieldError("/players", detail)])
    named = []
    for seat, player in enumerate(players or [{}] * number):
        name = {} if "bot" in player or "bot_url" in player else {"name": f"Player {seat + 1}"}
        named.append(name | player | {"color": game.players[seat].color})
    options = body["options"] | {
        "seed": game.seed,
        "scoring_tiles": game.scoring_tiles,
        "tie_break": game.tie_break,
        "open_gold": game.open_gold,
    }
    begun = {"players": named, "seat_count": number, "auto_start": False, "options": options}
    return body | begun | {"ruleset": game.ruleset_id}


def _options(chosen: dict[str, Any]) -> GameOptions:
    options: dict[str, Any] = dict(chosen)
    if "seed" in options:
        options |= {"seed_source": SeedSource.CREATOR, "nonce": secrets.token_hex(16)}
    else:
        options["seed"] = secrets.token_hex(16)
    if "scoring_tiles" in options:
        options["scoring_tiles"] = tuple(options["scoring_tiles"])
    if "tie_break" in options:
        options["tie_break"] = TieBreak(options["tie_break"])
    if "clock" in options:
        options["clock"] = Clock(options["clock"])
    if "public_from" in options:
        options["public_from"] = PublicFrom(options["public_from"])
    if "on_timeout" in options:
        options["on_timeout"] = OnTimeout(options["on_timeout"])
    return GameOptions(**options)


def new_seats(players: Sequence[dict[str, Any]], tokens: TokenSource, creator: str = "") -> tuple[Seat, ...]:
    """Return the seats of the players of a new game, in seat order, without those to be invited.

    :param creator: the id of the player who creates the game, bound to the first seat without a bot.
    """
    seats: tuple[Seat, ...] = ()
    for player in players:
        if "invite" not in player:
            bound = "" if "bot" in player else creator
            creator = "" if bound else creator
            seats += (new_seat(player, tokens, len(seats), {seat.name for seat in seats}, bound),)
    return seats


def new_invites(players: Sequence[dict[str, Any]], tokens: TokenSource) -> tuple[str, ...]:
    """Return the hashes of invitation codes for the invited players of a new game."""
    count = sum("invite" in player for player in players)
    return tuple(new_invite(tokens, number) for number in range(count))


def new_invite(tokens: TokenSource, number: int = 0) -> str:
    """Issue an invitation code, and return its hash."""
    return hash_token(tokens.token(f"{INVITE_ROLE}{number}"))


def new_seat(
    player: dict[str, Any], tokens: TokenSource, number: int, names: Collection[str], bound: str = ""
) -> Seat:
    """Return a seat of a person, or of a bot. The seat has a new token unless it is a bot's or bound.

    :param number: the number of the seat.
    :param names: the names of the other players.
    :param bound: the id of the player to whose key the seat is bound.
    """
    bot = player.get("bot")
    name = player.get("name") or free_name(_TITLES.get(str(bot), "Bot"), names)
    token = tokens.seat_token(number, has_token=not bot and not bound)
    return Seat(name, player.get("color", ""), token, bot, bound, player.get("url_bot", ""))


@dataclass(frozen=True, slots=True)
class NewGame:
    """The values that the service supplies for a new game: its id, its tokens and its time of creation.

    :param ruleset: the id of the ruleset of a game whose request names none.
    :param player: the id of the player whose key creates it, or empty.
    """

    id: str
    tokens: TokenSource
    now_ms: int
    ruleset: str
    player: str = ""

    def game(self, body: dict[str, Any], origin: Origin | None = None) -> Game:
        """Return the requested game, without its players."""
        host = "" if self.player else hash_token(self.tokens.token(HOST_ROLE))
        game = requested_game({"ruleset": self.ruleset} | body, self.id, host, self.now_ms, origin)
        return replace(game, host_player=self.player)


Opening: TypeAlias = Callable[[NewGame], Transition]
"""Opens a game, or raises the `Problem` or `RuleError` that explains why it cannot be opened."""


def opening_of(body: dict[str, Any]) -> Opening:
    """Return the function that opens the game of a creation request.

    :raises Problem: invalid_body, game_not_over.
    """
    if "record" in body:
        return _from_record(body)
    if "position" in body:
        return _from_position(body, Origin(OriginType.POSITION))
    if "scenario" in body:
        return _from_scenario(body)
    return lambda new: _open_new(body, new)


def _open_new(body: dict[str, Any], new: NewGame) -> Transition:
    game, players = new.game(body), body["players"]
    seats = new_seats(players, new.tokens, new.player)
    return lobby.open_game(game, seats, new.now_ms, invites=new_invites(players, new.tokens))


def _from_record(body: dict[str, Any]) -> Opening:
    record = body["record"]
    until, position = body.get("stop_at"), record.get("position")
    moment = (until["round"], Phase(until["phase"])) if isinstance(until, dict) else None
    actions = record["actions"] if moment else record["actions"][:until]
    begun, draws = body_from_record(body), record.get("draws")
    _check_gave_up(record)
    tiles = None if draws is None else draws.tiles
    start = None if position is None else state_from_body(position, "/record/position")
    if start is not None:
        begun = body_from_position(begun, start)

    def open_game(new: NewGame) -> Transition:
        game, ends = new.game(begun, Origin(OriginType.RECORD)), _recorded_ends(record, new.now_ms)
        seats = new_seats(begun["players"], new.tokens, new.player)
        opened = lobby.open_game(game, seats, new.now_ms, unique_names=False)
        if start is not None:
            opened = opened.then(lobby.begin_from_position(opened.game, start, new.now_ms))
            return lobby.replay(opened, actions, new.now_ms, until=moment, tiles=tiles, ends=ends)
        opened = opened.then(lobby.start(opened.game, new.now_ms, draws))
        later = tiles and tiles[game.ruleset.tiles_drawn * len(begun["players"]) :]
        return lobby.replay(opened, actions, new.now_ms, until=moment, tiles=later, ends=ends)

    return open_game


def _check_gave_up(record: dict[str, Any]) -> None:
    """Check which seats were given up in a recorded game.

    :raises Problem: invalid_body, if a seat does not exist or is named twice.
    """
    named = set[int]()
    for index, group in enumerate(record["gave_up"]):
        if len(named | {*group}) < len(named) + len(group) or max(group) >= len(record["players"]):
            detail = "There is no such seat, or it is named twice."
            raise Problem("invalid_body", errors=[FieldError(f"/record/gave_up/{index}", detail)])
        named |= {*group}


def _recorded_ends(record: dict[str, Any], now_ms: int) -> list[SeatOutcome]:
    """Return by seat how it ended in a recorded game; an empty list if no seat was given up.

    The dates are those of the record, if it has them and in the order of its groups.
    """
    players, dates = record["players"], dict[int, int]()
    for group in record["gave_up"]:
        named = players[group[0]].get("end", {}).get("at")
        date = max([now_ms if named is None else named, *[each + 1 for each in dates.values()]])
        dates |= dict.fromkeys(group, date)
    ends = [_recorded_end(player.get("end", {}), dates.get(seat)) for seat, player in enumerate(players)]
    return ends if dates else []


def _recorded_end(end: dict[str, Any], at_ms: int | None) -> SeatOutcome:
    counts = [end.get(name) or 0 for name in ("missed_deadlines", "server_decisions", "decisions")]
    if at_ms is None:
        return SeatOutcome(SeatEnd.PLAYED, None, None, None, None, *counts)
    kind = SeatEnd(end.get("type", SeatEnd.RESIGNED))
    kind = SeatEnd.RESIGNED if kind is SeatEnd.PLAYED else kind
    phase = Phase(end.get("phase") or Phase.PRICING)
    return SeatOutcome(kind, at_ms, end.get("bot") or SUBSTITUTE_BOT, end.get("round") or 1, phase, *counts)


def _from_scenario(body: dict[str, Any]) -> Opening:
    scenario = SCENARIOS[body["scenario"]]
    body = body | {"position": position_of_scenario(scenario)}
    return _from_position(body, Origin(OriginType.SCENARIO, scenario.name), scenario.actions)


def _from_position(body: dict[str, Any], origin: Origin, actions: Sequence[Action] = ()) -> Opening:
    state = state_from_body(body["position"], "/position")
    by_server = body["position"].get("seed") is None
    begun = body_from_position(body, state)

    def open_game(new: NewGame) -> Transition:
        game = new.game(begun, origin)
        if by_server:
            options = replace(game.options, seed_source=SeedSource.SERVER, nonce=None)
            game = replace(game, options=options)
        seats = new_seats(begun["players"], new.tokens, new.player)
        opened = lobby.open_game(game, seats, new.now_ms)
        opened = opened.then(lobby.begin_from_position(opened.game, state, new.now_ms))
        return lobby.replay(opened, actions, new.now_ms)

    return open_game
