"""Consistency checks: the journals of the players, compared with the games of the service.

Of every game: each action that was acknowledged is in the record, at the version that it was acknowledged
with; none is there twice; what else is there was sent by somebody who got no answer. The events are numbered
without a gap, and are those that were read as they happened. Every answer to an action is what the events up
to it lead to. And the record, played again by the rules, leads to the game as every caller sees it.
"""

import copy
import json
from collections import Counter

from skye import Action, Options, Record, TieBreak, game_view, replay
from skye.draws import commitment
from skye.views import move_from
from skye_client import fold
from tests.system.players import digest
from tests.system.wire import InvariantViolated, anonymous_key

MAX_PAGES = 100


def require(true, *facts):
    """Raise an error if a condition is false."""
    if not true:
        raise InvariantViolated(" ".join(map(str, facts)))


def prove(match, wire, spectator=None, *, again=False):
    """Compare an idle game with the journals of its seats; return counts.

    With `again` its record is also posted, to begin another game that must be the same. The game may have
    been aborted, which then was the last that happened. Of seats that have seen it go back only what was
    acknowledged is held against it.
    """
    view = wire.read(match.path)
    events = {seat: all_events(match, wire, seat) for seat in (None, *match.seats)}
    for seat, received in events.items():
        _prove_events(received, view)
        if seat is not None:
            if not seat.may_go_back:
                _prove_marks(seat.marks, received, seat.path)
            _prove_answers(seat, received, wire.read(match.path, seat.token))
    if spectator is not None and not spectator.may_go_back:
        _prove_marks(spectator.marks, events[None], match.path)
    began = next(event["version"] for event in events[None] if event["type"] == "game_started")
    record = _whole_record(match, wire)
    agreed = {
        event["version"] for event in events[None] if event["type"].startswith(("proposal_", "game_aborted"))
    }
    found = _prove_journals(match, record["actions"], began, view["version"] - len(agreed))
    game = _played_again(record, match.seed)
    for seat in (None, *match.seats):
        _prove_state(match, wire, game, seat)
    if again:
        _prove_posted(match, wire, record, view)
    return found


def all_events(match, wire, seat=None):
    """Return the whole log of a game, as a seat may see it or a spectator."""
    events, token = [], seat and seat.token
    for _ in range(MAX_PAGES):
        page = wire.read(f"{match.path}/events?after={len(events)}&limit=1000", token)
        events += page["events"]
        if page["last_event"] == len(events):
            return events
    raise InvariantViolated(f"{match.path}: the log does not end")


def _prove_events(events, view):
    require([event["id"] for event in events] == list(range(1, view["last_event"] + 1)), view["id"], "ids")
    versions = [event["version"] for event in events]
    require(versions == sorted(versions), view["id"], "versions do not rise")
    require(set(versions) == set(range(1, view["version"] + 1)), view["id"], "a version has no events")


def _prove_marks(marks, events, where):
    """Compare the events received with the log."""
    for event in events[: len(marks)]:
        require(marks[event["id"]] == digest(event), where, "another event", event)
    require(len(marks) <= len(events), where, f"{len(marks)} events were received,", len(events), "are there")


def _prove_answers(seat, events, view):
    """Compare every response to an action of a seat with the events up to it, and the view with all."""
    answers = {entry.after: entry for entry in seat.journal if entry.after is not None}
    folded = copy.deepcopy(seat.first)
    last_of_version = {event["version"]: event["id"] for event in events}
    for event in events[folded["last_event"] :]:
        fold(folded, event)
        entry = answers.get(event["version"])
        if entry and event["id"] == last_of_version[event["version"]]:
            require(
                digest(folded) == entry.answer, seat.path, "the log does not lead to the answer to", entry
            )
    require(digest(folded) == digest(view), seat.path, "the log does not lead to the view")


def _whole_record(match, wire):
    """Return the record of a game, including the hidden information of its seats."""
    record = wire.read(f"{match.path}/record")
    for seat in match.seats:
        own = wire.read(f"{match.path}/record", seat.token)
        require(len(own["actions"]) == len(record["actions"]), seat.path, "records differ in length")
        for at, action in enumerate(own["actions"]):
            if action["seat"] == seat.number:
                record["actions"][at] = action
    return record


def _prove_journals(match, actions, began, version):
    """Compare the record with the journals; return the numbers of acknowledged and of open actions in it."""
    require(len(actions) == version - began, match.path, f"{len(actions)} actions, {began} to {version}")
    entries = [entry for seat in match.seats for entry in seat.journal]
    acknowledged = [entry for entry in entries if entry.after is not None]
    twice = [after for after, times in Counter(entry.after for entry in acknowledged).items() if times > 1]
    require(not twice, match.path, "versions acknowledged twice", twice)
    left = dict(enumerate(actions, began + 1))
    for entry in acknowledged:
        require(entry.after in left, match.path, "acknowledged and missing:", entry)
        made = left.pop(entry.after)
        require(_is_of(entry, made), match.path, "acknowledged", entry, "and recorded", made)
    unanswered = [entry for entry in entries if entry.is_open]
    for at, made in left.items():
        sent = next((entry for entry in unanswered if _is_of(entry, made)), None)
        require(sent, match.path, f"version {at} was made though nobody sent it, or twice:", made)
        unanswered.remove(sent)
    return Counter(
        acknowledged=len(acknowledged), landed_unanswered=len(left), lost_unanswered=len(unanswered)
    )


def _is_of(entry, made):
    body = {} if entry.type == "pass" else entry.body or {}
    chosen = {name: value for name, value in made.items() if name not in ("round", "phase")}
    return chosen == {"seat": entry.seat, "type": entry.type, **body}


_NOT_OF_THE_MOVE = ("seat", "type", "round", "phase")
"""The fields of a recorded action with its seat and its time."""


def _played_again(record, seed):
    """Return the game that a record leads to by the rules."""
    options = record["options"]
    chosen = Options(
        scoring_tiles=tuple(options["scoring_tiles"]) if options["scoring_tiles"] else None,
        first_seat=options["first_seat"],
        tie_break=TieBreak(options["tie_break"]),
        open_gold=options["open_gold"],
    )
    actions = []
    for recorded in record["actions"]:
        fields = {name: value for name, value in recorded.items() if name not in _NOT_OF_THE_MOVE}
        actions.append(Action(recorded["seat"], move_from(recorded["type"], fields)))
    colors = tuple(player["color"] for player in record["players"])
    return replay(Record(colors, seed, chosen, tuple(actions)))[-1].game


def _prove_state(match, wire, game, seat):
    """Compare the view of a caller with the replay of the record."""
    view = wire.read(match.path, seat and seat.token)
    expected = json.loads(json.dumps(game_view(game, None if seat is None else seat.number)))
    if view["status"] == "aborted":
        expected |= {"phase": None, "waiting_for": []}
    for name, value in expected.items():
        shown = view[name]
        if name == "players":
            shown = [{field: player[field] for field in value[0]} for player in shown]
        if name == "result" and value is not None:  # the service also says how each seat ended
            own = value["players"][0]
            shown = shown | {"players": [{field: each[field] for field in own} for each in shown["players"]]}
        if name == "fairness":
            nonce = shown["nonce"]
            if value["seed"] is not None:
                value["commitment"] = commitment(value["seed"], nonce or "")
            elif view["fairness"]["seed_source"] == "creator":
                value["commitment"] = shown["commitment"]  # nobody can know the nonce yet
            shown = {field: shown[field] for field in value}
        require(shown == value, match.path, seat and seat.number, name, shown, "but by the record", value)


def _prove_posted(match, wire, record, view):
    """Begin another game from the record, and see that it is the same."""
    body = {name: record[name] for name in ("format", "game_id", "version", "players", "actions")}
    body["options"] = record["options"] | {"seed": match.seed}
    key = {"Idempotency-Key": anonymous_key(f"{match.seed}/again")}
    reply = wire.ask_until_answered("POST", "/v1/games", {"record": body}, key)
    require(reply.status == 201, match.path, "its record is refused:", reply.body[:500])
    other = wire.read(f"/v1/games/{reply.json['game']['id']}")
    for begun in (other, view):  # a game that goes on from a record has only the decisions that are open
        for player in begun["players"]:
            del player["end"]["decisions"]
    for name in ("status", "round", "phase", "waiting_for", "scoring_tiles", "bag", "players", "result"):
        require(
            other[name] == view[name], match.path, name, other[name], "from the record, and was", view[name]
        )
