"""The examples of the contract, recorded from a live server and never written by hand.

    python -m tests.contract.examples [NAME ...]

plays some games, provokes every error code, and writes the responses to
`service/skye_server/openapi/examples.json`, from which the contract takes its examples. With names of scenes
(the functions below) and of error codes, it records these only. Each has a server of its own: one that fails
is reported with its last request, and keeps its examples.
"""

import json
import logging
import sys
import traceback
from functools import partial

from skye_server.error_codes import ERROR_CODES
from skye_server.games.outages import Outage, Uptime
from skye_server.http.framework import collaborators
from tests.contract import example_problems
from tests.contract.example_recorder import ExampleRecorder
from tests.contract.recording import LiveService
from tests.support.dispatching import dispatch
from tests.support.features import modules_of_features
from tests.support.json_lines import json_lines
from tests.support.launcher import ROOT

FILE = ROOT / "service" / "skye_server" / "openapi" / "examples.json"


def whole_round(recorder):
    """Open a game, play its first round, and get views of it."""
    game, ann = lobby(recorder)
    a_round(recorder, game, ann)
    views_in_play(recorder, game, ann)


def lobby(recorder):
    """Open a game, take seats, leave, start."""
    options = {"seed": "dunvegan", "scoring_tiles": ["sheep", "squares", "most_gold", "connected_tiles"]}
    body = {"name": "Friday evening", "seat_count": 3, "options": options | {"first_seat": 0}}
    created = recorder.record("lobby", "A lobby for three.", "POST", "/v1/games", body)
    game, host = f"/v1/games/{created['game']['id']}", created["host_token"]
    joined = recorder.record(
        "person", "A person takes a seat.", "POST", f"{game}/players", {"name": "Ann", "color": "green"}
    )
    recorder.record("bot", "The host seats a bot.", "POST", f"{game}/players", {"bot": "random"}, host)
    late = recorder.send("POST", f"{game}/players", {"name": "Cy"}).json
    recorder.record("lobby", "A player leaves the lobby.", "DELETE", f"{game}/players/2", token=late["token"])
    recorder.record("lobby", "The castle only.", "GET", f"{game}/players/0/territory/picture.svg")
    recorder.record("started", "The game waits for prices.", "POST", f"{game}/start", token=host)
    return game, joined["token"]


def a_round(recorder, game, ann):
    """Play the first round as seat 0 against a bot, with fixed moves."""
    seat = f"{game}/players/0"
    recorder.record("spectator", "The spectator's view in the pricing phase.", "GET", game)
    actions = recorder.record("pricing", "In the pricing phase.", "GET", f"{seat}/actions", token=ann)[
        "actions"
    ]
    discard, *kept = actions[0]["constraints"]["tiles"]
    offer = {"discard": discard, "prices": dict.fromkeys(kept, 2)}
    recorder.record("not_set", "Before the seat has set it.", "GET", f"{seat}/offer", token=ann)
    recorder.record("revealed", "The last offer: all are revealed.", "PUT", f"{seat}/offer", offer, ann)
    actions = recorder.record("buying", "In the buying phase.", "GET", f"{seat}/actions", token=ann)
    buy = next(action["body"] for action in actions["actions"] if action["type"] == "buy")
    recorder.record("not_made", "Before the seat has bought or passed.", "GET", f"{seat}/purchase")
    recorder.record("bought", "Buy a tile.", "PUT", f"{seat}/purchase", buy, ann)
    actions = recorder.record("building", "In the building phase.", "GET", f"{seat}/actions", token=ann)[
        "actions"
    ]
    place = actions[0]["body"]
    recorder.record("legal", "A legal placement.", "POST", f"{seat}/what-if", {"placements": [place]}, ann)
    wrong = {"placements": [place | {"x": 5}]}
    recorder.record("illegal", "An illegal placement.", "POST", f"{seat}/what-if", wrong, ann)
    tile = place["tile"]
    recorder.record(
        "in_hand", "The legal placements of a tile in hand.", "GET", f"{seat}/places?tile={tile}", token=ann
    )
    recorder.record("placed", "Place a tile.", "POST", f"{seat}/placements", place, ann)
    recorder.record("one", "One placement.", "GET", f"{seat}/placements")
    recorder.record("taken_back", "The tile is in hand again.", "DELETE", f"{seat}/placements/1", token=ann)
    while actions[0]["type"] == "place":
        recorder.send("POST", f"{seat}/placements", actions[0]["body"], ann)
        actions = recorder.send("GET", f"{seat}/actions", token=ann).json["actions"]
    recorder.record(
        "scored",
        "The server scores the round and begins the next.",
        "POST",
        f"{seat}/building/finish",
        token=ann,
    )


def views_in_play(recorder, game, ann):
    """Get the views of a game in play, as seat 0 and as a spectator."""
    recorder.record("seat", "The view of a seat in the second round.", "GET", game, token=ann)
    recorder.record("page", "A page of events.", "GET", f"{game}/events?after=9&limit=4", token=ann)
    recorder.record("first_round", "A round that is over.", "GET", f"{game}/rounds/1")
    recorder.record("in_play", "A round that is over, and the second.", "GET", f"{game}/rounds")
    recorder.record("own", "All seats, as seat 0 sees them.", "GET", f"{game}/players", token=ann)
    recorder.record("in_play", "A game in play, as a spectator sees it.", "GET", f"{game}/record")
    recorder.record(
        "in_play", "After the first round, as seat 0 sees it.", "GET", f"{game}/scores", token=ann
    )
    recorder.record("own", "The seat's view of itself.", "GET", f"{game}/players/0", token=ann)
    recorder.record("seat", "A territory of three tiles.", "GET", f"{game}/players/0/territory")


def invitation(recorder):
    """Create a private game with a player to invite, who joins; change a seat, rotate its token."""
    body = {"visibility": "private", "seat_count": 3, "players": [{"name": "Ann"}, {"invite": True}]}
    created = recorder.record(
        "invitation", "A player to seat and a player to invite.", "POST", "/v1/games", body
    )
    game, (invited,) = f"/v1/games/{created['game']['id']}", created["invitations"]
    host, ann = created["host_token"], created["players"][0]["token"]
    recorder.record(
        "invited",
        "The code is sent as the token.",
        "POST",
        f"{game}/players",
        {"name": "Bob"},
        invited["code"],
    )
    another = recorder.record("another", "Reserve another seat.", "POST", f"{game}/invitations", token=host)
    recorder.record("one", "One unused invitation.", "GET", f"{game}/invitations", token=host)
    path = f"{game}/invitations/{another['invitation']['id']}"
    recorder.record("one", "An unused invitation.", "GET", path, token=host)
    recorder.record("revoked", "The code is invalid.", "DELETE", path, token=host)
    recorder.record("code", "The code for spectators.", "GET", f"{game}/watch-code", token=host)
    changes = {"name": "Ada", "color": "green"}
    recorder.record("both", "Name and colour.", "PATCH", f"{game}/players/0", changes, ann)
    recorder.record(
        "rotated", "A new token; the old one is invalid.", "POST", f"{game}/players/0/token", token=ann
    )
    recorder.record("rotated", "A new host token.", "POST", f"{game}/host-token", token=host)


def league(recorder):
    """Create several games with one request."""
    bots = {"name": "Bots", "players": [{"bot": "random"}, {"bot": "greedy"}], "auto_start": True}
    people = {"name": "Round 1", "visibility": "private", "players": [{"name": "Ann"}, {"invite": True}]}
    key = {"Idempotency-Key": "season-1-0123456789abcdefghijk"}
    body = {"games": [people, bots]}
    recorder.record("two_games", "A private game, and one of bots.", "POST", "/v1/batches", body, **key)
    recorder.record(
        "one", "The start of a line.", "GET", "/v1/records?limit=1", abridged=lambda text: text[:500]
    )
    mine = f"skye_key_{'elgol' * 5}"
    recorder.send("POST", "/v1/games", bots | {"visibility": "private"}, mine)
    path = "/v1/me/games/records?since=2027-01-01T00:00:00Z"
    recorder.record("one", "The start of a line.", "GET", path, token=mine, abridged=lambda text: text[:500])


def player(recorder):
    """Create and join games with a player key, list them, replace the key, and follow them to a shutdown."""
    key, new = f"skye_key_{'dunvegan' * 3}", f"skye_key_{'portree' * 4}"
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
    recorder.record("key", "With a player key, which gets the first seat.", "POST", "/v1/games", body, key)
    lobby = recorder.send("POST", "/v1/games", {"seat_count": 2}).json["game"]["id"]
    path = f"/v1/games/{lobby}/players"
    recorder.record("key", "With a player key, which gets the seat.", "POST", path, {"name": "Ann"}, key)
    recorder.record("player", "A player with two games.", "GET", "/v1/me", token=key)
    recorder.record(
        "both", "A game that waits for the player, and a lobby.", "GET", "/v1/me/games", token=key
    )
    recorder.record("two_games", "Events of two games.", "GET", "/v1/me/events", token=key)
    timed = recorder.send("POST", "/v1/games", body | {"options": {"turn_ms": 60_000}}, key).json["game"][
        "id"
    ]
    recorder.service.clock.advance(46)
    dispatch(recorder.service)
    recorder.send("DELETE", f"{path}/0", token=key)
    recorder.send("POST", f"/v1/games/{timed}/abort", token=key)
    rest = (
        "/v1/me/events?after="
        + recorder.examples["list_player_events"]["two_games"]["response"]["last_event"]
    )
    recorder.record("ends", "A deadline is near; then two games end for the player.", "GET", rest, token=key)
    recorder.record("replaced", "The new key replaces the old one.", "PUT", "/v1/me/key", {"key": new}, key)
    collaborators(recorder.service.app).change_notifier.stop()
    recorder.record("restart", "Until the server shuts down.", "GET", "/v1/me/events/stream", token=new)


def full_lobby(recorder):
    """Host a game, in whose lobby every seat is taken."""
    key, body = f"skye_key_{'kyleakin' * 3}", {"players": [{"name": "Ann"}], "seat_count": 2}
    lobby = recorder.send("POST", "/v1/games", body, key).json["game"]["id"]
    recorder.send("POST", f"/v1/games/{lobby}/players", {"name": "Bob"})
    recorder.record("lobby_full", "The host can start the game.", "GET", "/v1/me/events", token=key)
    recorder.record("lobby_full", "A lobby that its host can start.", "GET", "/v1/me/games", token=key)


def past_games(recorder):
    """Finish a game of a player key by resigning, and list it with statistics."""
    key, body = (
        f"skye_key_{'raasay' * 4}",
        {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True},
    )
    game = recorder.send("POST", "/v1/games", body | {"options": {"seed": "skye"}}, key).json["game"]["id"]
    offer = recorder.send("GET", f"/v1/games/{game}/players/0/actions", token=key).json["actions"][0]
    recorder.send(offer["method"], offer["href"], offer["body"], key)
    recorder.send("POST", f"/v1/games/{game}/players/0/resign", token=key)
    recorder.record("resigned", "A game in which the player resigned.", "GET", "/v1/me/records", token=key)
    recorder.record("one_game", "Statistics of one game.", "GET", "/v1/me/statistics", token=key)


def pass_and_leave(recorder):
    """Pass when buying, resign, abort."""
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    body["options"] = {"seed": "portree", "first_seat": 0, "turn_ms": 60_000}
    created = recorder.record("started", "Two people, who begin at once.", "POST", "/v1/games", body)
    game, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    for number, token in enumerate(tokens):
        action = recorder.send("GET", f"{game}/players/{number}/actions", token=token).json["actions"][0]
        recorder.send(action["method"], action["href"], action["body"], token)
    recorder.record("passed", "Buy nothing.", "PUT", f"{game}/players/0/purchase", {"tile": None}, tokens[0])
    recorder.record("proposed", "Propose to end the game.", "POST", f"{game}/abort", token=tokens[0])
    recorder.record("refused", "Play on.", "POST", f"{game}/players/1/proposal", {"accept": False}, tokens[1])
    recorder.record("resigned", "Resign.", "POST", f"{game}/players/1/resign", token=tokens[1])
    recorder.send("POST", f"{game}/abort", token=created["host_token"])
    recorder.send("POST", f"{game}/players/0/proposal", {"accept": True}, tokens[0])
    recorder.record(
        "opened", "The first player opens the new game.", "POST", f"{game}/rematch", token=tokens[0]
    )
    recorder.record("found", "One player has requested a rematch.", "GET", f"{game}/rematch")
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True, "options": {"seed": "uig"}}
    alone = recorder.send("POST", "/v1/games", body).json
    path = f"/v1/games/{alone['game']['id']}/abort"
    recorder.record("aborted", "Abort a game against a bot.", "POST", path, token=alone["host_token"])
    key = f"skye_key_{'elgol' * 5}"
    path = f"/v1/games/{recorder.send('POST', '/v1/games', body, key).json['game']['id']}"
    recorder.send("POST", f"{path}/abort", token=key)
    chosen = {"first_seat": 0}
    recorder.record("named", "The host names who begins.", "POST", f"{path}/rematch", chosen, key)


def late_player(recorder):
    """Take a seat back that a bot took over after a missed deadline."""
    options = {"seed": "sligachan", "clock": "manual", "turn_ms": 60_000, "on_timeout": "bot"}
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": options}
    created = recorder.send("POST", "/v1/games", body).json
    game, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    action = recorder.send("GET", f"{game}/players/1/actions", token=tokens[1]).json["actions"][0]
    recorder.send(action["method"], action["href"], action["body"], tokens[1])
    recorder.send("POST", f"{game}/clock", {"advance_ms": 60_000}, created["host_token"])
    path = f"{game}/players/0"
    recorder.record("taken_over", "A bot plays the seat.", "GET", f"{path}/actions", token=tokens[0])
    recorder.record("returned", "The player plays again.", "POST", f"{path}/return", token=tokens[0])


def slow_player(recorder):
    """Ask for a seat to be taken over in a game without a clock."""
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": {"seed": "torrin"}}
    created = recorder.send("POST", "/v1/games", body).json
    game, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    action = recorder.send("GET", f"{game}/players/0/actions", token=tokens[0]).json["actions"][0]
    recorder.send(action["method"], action["href"], action["body"], tokens[0])
    recorder.service.clock.advance(86_400)
    recorder.record(
        "asked", "Bob has a day to decide.", "POST", f"{game}/players/1/takeover", token=tokens[0]
    )


def clocks(recorder):
    """Play with a budget of time, and pause."""
    options = {"seed": "armadale", "budget_ms": 1_200_000, "increment_ms": 10_000}
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": options}
    created = recorder.record("budget", "A budget of 20 minutes for each.", "POST", "/v1/games", body)
    game, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    action = recorder.send("GET", f"{game}/players/1/actions", token=tokens[1]).json["actions"][0]
    recorder.send(action["method"], action["href"], action["body"], tokens[1])
    recorder.record("proposed", "Propose to pause.", "POST", f"{game}/pause", token=tokens[0])
    recorder.send("POST", f"{game}/players/1/proposal", {"accept": True}, tokens[1])
    recorder.record("resumed", "End the pause.", "POST", f"{game}/resume", token=tokens[1])


def outage(recorder):
    """Read the event with which a game gets the time of an outage."""
    options = {"seed": "torrin", "turn_ms": 600_000}
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": options}
    game = recorder.send("POST", "/v1/games", body).json["game"]
    clock, signs = recorder.service.clock, collaborators(recorder.service.app).games.signs
    began_ms = int(1000 * clock())
    clock.advance(305)
    ended_ms = int(1000 * clock())
    signs.uptime = Uptime(ended_ms, (Outage(1, began_ms, ended_ms),))
    events = f"/v1/games/{game['id']}/events?after={game['last_event']}"
    recorder.record("time_added", "The server could take no actions for five minutes.", "GET", events)


def after_the_end(recorder):
    """Get the views of a game that is over, and begin another game from its record."""
    body = {
        "players": [{"bot": "random"}, {"bot": "random"}],
        "auto_start": True,
        "options": {"seed": "skye"},
    }
    over = recorder.send("POST", "/v1/games", body).json["game"]
    game = f"/v1/games/{over['id']}"
    recorder.record("finished", "A game that is over.", "GET", game)
    recorder.record(
        "end", "The end of a game.", "GET", f"{game}/events/stream?after={over['last_event'] - 2}"
    )
    record = recorder.send("GET", f"{game}/record").json
    players = [player | {"bot": None} for player in record["players"]]
    beginning = record | {"players": players, "actions": record["actions"][:4]}
    body = {"name": "What if", "record": beginning, "stop_at": 3}
    recorder.record("from_record", "From the first actions of another game.", "POST", "/v1/games", body)
    position = {"round": 5, "phase": "buying", "seed": "skye", "players": [{"gold": 3}, {"gold": 12}]}
    body = {"name": "The fifth round", "position": position}
    begun = recorder.record("from_position", "From a position.", "POST", "/v1/games", body)
    path, host = f"/v1/games/{begun['game']['id']}/position", begun["host_token"]
    recorder.record("whole", "The complete position, for the host.", "GET", path, token=host)
    options = {"clock": "manual", "turn_ms": 60_000}
    created = recorder.send("POST", "/v1/games", {"scenario": "buying_last_seat", "options": options}).json
    clock, host = f"/v1/games/{created['game']['id']}/clock", created["host_token"]
    recorder.record("timeout", "A deadline passes.", "POST", clock, {"advance_ms": 60_000}, host)
    scenario = {"scenario": "last_action", "players": [{"name": "Ann"}, {"bot": "greedy"}]}
    recorder.record("from_scenario", "From a scenario.", "POST", "/v1/games", scenario)
    recorder.record("page", "The newest two games.", "GET", "/v1/games?limit=2")


def without_games(recorder):
    """Score territories, get the catalogue, the index, health and metrics."""
    tiles = [{"tile": "castle-red", "x": 0, "y": 0}, {"tile": "L35", "x": -1, "y": 0, "rotation": 270}]
    body = {"territories": [{"tiles": tiles, "gold": 7}], "scoring_tiles": ["sheep", "most_gold"]}
    recorder.record("two_tiles", "A castle and a tile.", "POST", "/v1/scoring", body)
    recorder.record("all", "All 78 tiles.", "GET", "/v1/tiles")
    recorder.record("L45", "A tile with two ships.", "GET", "/v1/tiles/L45")
    recorder.record("L10", "A rotated tile.", "GET", "/v1/tiles/L10/picture.svg?rotation=90")
    sheet = "/v1/tiles/pictures.svg"
    recorder.record("start", "The first lines.", "GET", sheet, abridged=lambda text: text[:500])
    recorder.record("all", "All scoring tiles of the base game, and its rounds.", "GET", "/v1/scoring-tiles")
    recorder.record("squares", "The scoring tile `squares`.", "GET", "/v1/scoring-tiles/squares")
    recorder.record("squares", "The scoring tile `squares`.", "GET", "/v1/scoring-tiles/squares/picture.svg")
    recorder.record("all", "All scenarios.", "GET", "/v1/scenarios")
    recorder.record("all", "All bots.", "GET", "/v1/bots")
    recorder.record("addresses", "The index.", "GET", "/")
    recorder.record("addresses", "The index.", "GET", "/v1")
    recorder.record("catalog", "The API and its documents.", "GET", "/.well-known/api-catalog")
    recorder.record("contact", "The contact.", "GET", "/.well-known/security.txt")
    recorder.record("ok", "The process is alive.", "GET", "/healthz")
    recorder.record("ok", "The process is ready.", "GET", "/readyz")

    def first_count(text):
        return "# HELP".join(text.split("# HELP")[:2])

    recorder.record("first", "The first metric.", "GET", "/metrics", abridged=first_count)


SCENES = (
    whole_round, invitation, league, player, full_lobby, past_games, pass_and_leave, late_player, slow_player,
    clocks, outage, after_the_end, without_games,
    *(scene for feature in modules_of_features("examples") for scene in feature.SCENES),
)  # fmt: skip
"""What the examples show. Each scene has a server of its own, so that it depends on no other."""


def groups():
    """Return the functions that record examples, by the names of the scenes or error codes of each."""
    return groups_of_scenes() | example_problems.groups()


def groups_of_scenes():
    """Return the functions that record the examples of all scenes, by the name of the scene."""
    of_lab = [scene for scene in SCENES if scene.__module__ == "tests.lab.examples"]
    return of_scenes(SCENES, of_lab)


def of_scenes(scenes, of_lab=()):
    """Return the functions that record the examples of some scenes, by the name of the scene.

    :param of_lab: the scenes of lab servers.
    """
    return {(scene.__name__,): partial(_scene, scene, is_lab=scene in of_lab) for scene in scenes}


def _scene(scene, *, is_lab):
    with LiveService(lab=is_lab) as service:
        recorder = ExampleRecorder(service)
        scene(recorder)
        return {scene.__name__: dict(sorted(recorder.examples.items()))}


def recorded(groups, stored, report):
    """Return the stored examples, with those of some groups recorded again.

    :param stored: what a group that fails keeps.
    :param report: is called with the text of each failure: the names of the group, and its last request.
    """
    found = dict(stored)
    for names, record in groups.items():
        try:
            found |= record()
        except Exception as error:  # noqa: BLE001 - the other groups are independent of this one
            reason = "".join(traceback.format_exception_only(error))
            report(f"Not recorded: {', '.join(names)}. {reason}")
    return found


def as_json(examples):
    """Return the examples of all scenes and error codes as JSON; each example begins a line."""
    scenes = {name: examples[name] for name in examples if name not in ERROR_CODES}
    problems = {code: examples[code] for code in sorted(ERROR_CODES) if code in examples}
    parts = (_json_lines(' "scenes": ', scenes, 3), _json_lines(' "problems": ', problems, 1))
    return "{\n" + ",\n".join(map("\n".join, parts)) + "\n}\n"


def _json_lines(start, value, levels):
    """Yield the lines of JSON; items of the outer levels begin lines, and those of the others fill them."""
    margin = " " * (len(start) - len(start.lstrip()) + 1)
    if levels == 0:
        yield from json_lines(value, start, f"{margin} ")
        return
    yield start + "{"
    for number, (name, part) in enumerate(value.items(), 1):
        *lines, last = _json_lines(f'{margin}"{name}": ', part, levels - 1)
        yield from lines
        yield last + ("," if number < len(value) else "")
    yield margin[1:] + "}"


def main(names, file=FILE, known=None):
    """Record the examples of scenes and error codes again, by default of all.

    :param known: the functions that record examples, by default those of `groups`.
    :returns: the exit status: 1 if any could not be recorded.
    """
    failures = []
    known = known or groups()
    wanted = {group: record for group, record in known.items() if not names or {*names} & {*group}}
    if unknown := {*names}.difference(*wanted):
        sys.exit(f"No such scene or error code: {', '.join(sorted(unknown))}")
    stored = json.loads(file.read_text())
    logging.disable()  # the service logs a traceback for `internal_error`
    examples = recorded(wanted, stored["scenes"] | stored["problems"], failures.append)
    logging.disable(logging.NOTSET)
    in_order = {name: examples[name] for group in known for name in group if name in examples}
    file.write_text(as_json(in_order))
    sys.stderr.writelines(failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
