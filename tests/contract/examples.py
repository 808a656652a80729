"""The examples of the contract, recorded from a live server and never written by hand.

    python -m tests.contract.examples

plays some games, provokes every refusal, and writes what was answered to `service/openapi/examples.json`,
from where it goes into the document.
"""

import logging
import sys
from unittest import mock

from service.matches import cooperative_yield
from service.web.collaborators import collaborators
from tests.contract import worker_refusals
from tests.contract.checked import messages as parsed
from tests.contract.readme import laid_out
from tests.contract.recording import LiveService
from tests.support import refused_faults, refused_lab, refused_moves, refused_requests
from tests.support.launcher import ROOT
from tests.support.refused import PROVOKED

FILE = ROOT / "service" / "openapi" / "examples.json"

assert refused_faults
assert refused_lab
assert refused_moves
assert refused_requests


class Story:
    """Requests to a live server, and its answers that the contract shows."""

    def __init__(self, service):
        self.service = service
        self.told = {}
        self.hosts = {}

    def ask(self, method, path, body=None, token=None, **headers):
        """Send a request some seconds after the last; return the answer, which must not be a refusal."""
        self.service.clock.advance(4)
        answer = self.service.call(method, path, body, token, headers)
        assert answer.status_code < 300, answer.text
        if answer.status_code == 201 and "host_token" in answer.json:
            self.hosts[answer.json["game"]["id"]] = answer.json["host_token"]
        return answer

    def tell(self, name, summary, method, path, body=None, token=None, abridged=str, **headers):
        """Send a request, and keep it and its answer under a name; return the answer's JSON.

        What is no JSON may be `abridged`.
        """
        answer = self.ask(method, path, body, token, **headers)
        is_json = answer.mimetype == "application/json"
        kept = {"summary": summary} | ({} if body is None else {"request": body})
        kept |= {"status": answer.status_code, "content_type": answer.mimetype}
        kept["answer"] = answer.json if is_json else abridged(answer.text)
        assert name not in self.told.setdefault(self._operation(method, path), {})
        self.told[self._operation(method, path)][name] = kept
        return answer.json if is_json else None

    def _operation(self, method, path):
        urls = self.service.app.url_map.bind("127.0.0.1")
        endpoint, _ = urls.match(path.partition("?")[0], method)
        return endpoint.rpartition(".")[2]


def lobby(story):
    """Open a game, take seats, leave, start."""
    options = {"seed": "dunvegan", "scoring_tiles": ["sheep", "squares", "most_gold", "connected_tiles"]}
    body = {"name": "Friday evening", "seats": 3, "options": options | {"starting_seat": 0}}
    created = story.tell("lobby", "A lobby for three.", "POST", "/v1/games", body)
    game, host = f"/v1/games/{created['game']['id']}", created["host_token"]
    joined = story.tell(
        "person", "A person takes a seat.", "POST", f"{game}/players", {"name": "Ann", "color": "green"}
    )
    story.tell("bot", "The host seats a bot.", "POST", f"{game}/players", {"bot": "random"}, host)
    late = story.ask("POST", f"{game}/players", {"name": "Cy"}).json
    story.tell("lobby", "A player leaves the lobby.", "DELETE", f"{game}/players/2", token=late["token"])
    story.tell("lobby", "A castle and nothing else.", "GET", f"{game}/players/0/territory.svg")
    story.tell("started", "The game waits for prices.", "POST", f"{game}/start", token=host)
    return game, joined["token"]


def a_round(story, game, ann):
    """Play the first round by hand, as seat 0 against a bot."""
    seat = f"{game}/players/0"
    story.tell("spectator", "As a spectator sees it, while prices are set.", "GET", game)
    actions = story.tell("pricing", "While prices are set.", "GET", f"{seat}/actions", token=ann)["actions"]
    discard, *kept = actions[0]["constraints"]["tiles"]
    offer = {"discard": discard, "prices": dict.fromkeys(kept, 2)}
    story.tell("not_set", "Before it is set.", "GET", f"{seat}/offer", token=ann)
    story.tell("revealed", "The last offer: all are revealed.", "PUT", f"{seat}/offer", offer, ann)
    actions = story.tell("buying", "When it is one's turn to buy.", "GET", f"{seat}/actions", token=ann)
    buy = next(action["body"] for action in actions["actions"] if action["type"] == "buy")
    story.tell("bought", "A tile is bought.", "POST", f"{seat}/purchase", buy, ann)
    actions = story.tell("building", "While tiles are built.", "GET", f"{seat}/actions", token=ann)["actions"]
    place = actions[0]["body"]
    story.tell("legal", "A placement that is legal.", "POST", f"{seat}/what-if", {"placements": [place]}, ann)
    wrong = {"placements": [place | {"x": 5}]}
    story.tell("illegal", "One that is not.", "POST", f"{seat}/what-if", wrong, ann)
    tile = place["tile"]
    story.tell("in_hand", "The places of a tile in hand.", "GET", f"{seat}/places?tile={tile}", token=ann)
    story.tell("placed", "A tile is placed.", "POST", f"{seat}/placements", place, ann)
    story.tell("one", "One so far.", "GET", f"{seat}/placements")
    story.tell("taken_back", "It is in hand again.", "DELETE", f"{seat}/placements/last", token=ann)
    while actions[0]["type"] == "place":
        story.ask("POST", f"{seat}/placements", actions[0]["body"], ann)
        actions = story.ask("GET", f"{seat}/actions", token=ann).json["actions"]
    story.tell("scored", "The round is scored, the next begins.", "POST", f"{seat}/build/finish", token=ann)


def a_look_around(story, game, ann):
    """Look at all there is to see of a game in play, as seat 0 and as a spectator."""
    story.tell("seat", "As a seat sees it, in its second round.", "GET", game, token=ann)
    story.tell("page", "A page of events.", "GET", f"{game}/events?after=9&limit=4", token=ann)
    story.tell("first_round", "A round that is over.", "GET", f"{game}/rounds/1")
    story.tell("in_play", "Of a game in play, as a spectator sees it.", "GET", f"{game}/record")
    story.tell("in_play", "After the first round, as seat 0 sees it.", "GET", f"{game}/scores", token=ann)
    story.tell("own", "As the seat sees itself.", "GET", f"{game}/players/0", token=ann)
    story.tell("seat", "A territory of three tiles.", "GET", f"{game}/players/0/territory")


def invitation(story):
    """Create a private game with a player to invite, who joins; change a seat, rotate its token."""
    body = {"private": True, "seats": 3, "players": [{"name": "Ann"}, {"invite": True}]}
    created = story.tell("invitation", "One to seat, one to invite.", "POST", "/v1/games", body)
    game, (code,) = f"/v1/games/{created['game']['id']}", created["invites"]
    host, ann = created["host_token"], created["players"][0]["token"]
    story.tell("invited", "The code is sent as the token.", "POST", f"{game}/players", {"name": "Bob"}, code)
    story.tell("another", "One more seat is reserved.", "POST", f"{game}/invites", token=host)
    changes = {"name": "Ada", "color": "green"}
    story.tell("both", "Name and colour.", "PATCH", f"{game}/players/0", changes, ann)
    story.tell("rotated", "The old token is invalid.", "POST", f"{game}/players/0/token", token=ann)


def league(story):
    """Create several games with one request."""
    bots = {"name": "Bots", "players": [{"bot": "random"}, {"bot": "greedy"}], "start": True}
    people = {"name": "Round 1", "private": True, "players": [{"name": "Ann"}, {"invite": True}]}
    key = {"Idempotency-Key": "season-1"}
    body = {"games": [people, bots]}
    story.tell("two_games", "A private game, and one of bots.", "POST", "/v1/batches", body, **key)
    story.tell("one", "The start of a line.", "GET", "/v1/records?limit=1", abridged=lambda text: text[:500])


def player(story):
    """Create and join games with a player key, list them, and replace the key."""
    key, new = f"skye_key_{'dunvegan' * 3}", f"skye_key_{'portree' * 4}"
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "start": True}
    story.tell("key", "With a player key: the first seat is the key's.", "POST", "/v1/games", body, key)
    lobby = story.ask("POST", "/v1/games", {"seats": 2}).json["game"]["id"]
    path = f"/v1/games/{lobby}/players"
    story.tell("key", "With a player key: the seat is the key's.", "POST", path, {"name": "Ann"}, key)
    story.tell("both", "One waits for the player, one is in its lobby.", "GET", "/v1/me/games", token=key)
    story.tell("two_games", "Of two games.", "GET", "/v1/me/events", token=key)
    timed = story.ask("POST", "/v1/games", body | {"options": {"turn_ms": 60_000}}, key).json["game"]["id"]
    story.service.clock.advance(46)
    story.ask("GET", "/v1/me/events", token=key)  # a request reports what is due
    story.ask("DELETE", f"{path}/0", token=key)
    story.ask("DELETE", f"/v1/games/{timed}", token=key)
    rest = "/v1/me/events?after=" + story.told["list_player_events"]["two_games"]["answer"]["last_event"]
    story.tell("ends", "A deadline is near; then two games end for the player.", "GET", rest, token=key)
    wishes = {"name": "Ann", "seats": 4, "options": {"turn_ms": 60_000}}
    match = story.tell("waiting", "The player waits for three others.", "POST", "/v1/matches", wishes, key)
    path = f"/v1/matches/{match['id']}"
    story.tell("waiting", "The player still waits.", "GET", path, token=key)
    story.tell("cancelled", "The player waits no more.", "DELETE", path, token=key)
    story.tell("replaced", "The old key is invalid.", "PUT", "/v1/me/key", {"key": new}, key)


def end_of_a_player_stream(story):
    """Stream the events of a player key while the server shuts down, which ends the stream."""
    collaborators(story.service.app).change_notifier.stop()
    key = f"skye_key_{'portree' * 4}"
    story.tell("restart", "Until the server shuts down.", "GET", "/v1/me/events/stream", token=key)


def pass_and_leave(story):
    """Pass when buying, resign, abort."""
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "start": True}
    body["options"] = {"seed": "portree", "starting_seat": 0, "turn_ms": 60_000}
    created = story.tell("started", "Two people, who begin at once.", "POST", "/v1/games", body)
    game, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    for number, token in enumerate(tokens):
        action = story.ask("GET", f"{game}/players/{number}/actions", token=token).json["actions"][0]
        story.ask(action["method"], action["href"], action["body"], token)
    story.tell(
        "passed", "Nothing is bought.", "POST", f"{game}/players/0/purchase", {"pass": True}, tokens[0]
    )
    story.tell("resigned", "A player resigns.", "DELETE", f"{game}/players/1", token=tokens[1])
    story.tell("aborted", "The game is aborted.", "DELETE", game, token=created["host_token"])
    story.tell("opened", "The first player opens the new game.", "POST", f"{game}/rematch", token=tokens[0])
    story.tell("found", "One player has asked for it.", "GET", f"{game}/rematch")


def after_the_end(story):
    """Look at a game that is over, and begin another from its record."""
    body = {"players": [{"bot": "random"}, {"bot": "random"}], "start": True, "options": {"seed": "skye"}}
    over = story.ask("POST", "/v1/games", body).json["game"]
    game = f"/v1/games/{over['id']}"
    story.tell("finished", "A game that is over.", "GET", game)
    story.tell("end", "The end of a game.", "GET", f"{game}/events/stream?after={over['last_event'] - 2}")
    record = story.ask("GET", f"{game}/record").json
    players = [player | {"bot": None} for player in record["players"]]
    beginning = record | {"players": players, "actions": record["actions"][:4]}
    body = {"name": "What if", "record": beginning, "until": 3}
    story.tell("from_record", "From the first actions of another game.", "POST", "/v1/games", body)
    position = {"round": 5, "phase": "buying", "seed": "skye", "players": [{"gold": 3}, {"gold": 12}]}
    body = {"name": "The fifth round", "position": position}
    begun = story.tell("from_position", "From a position.", "POST", "/v1/games", body)
    path, host = f"/v1/games/{begun['game']['id']}/position", begun["host_token"]
    story.tell("whole", "All of it, for the host.", "GET", path, token=host)
    options = {"clock": "manual", "turn_ms": 60_000}
    created = story.ask("POST", "/v1/games", {"scenario": "buying-last-seat", "options": options}).json
    clock, host = f"/v1/games/{created['game']['id']}/clock", created["host_token"]
    story.tell("timeout", "A deadline passes.", "POST", clock, {"advance_ms": 60_000}, host)
    scenario = {"scenario": "last-action", "players": [{"name": "Ann"}, {"bot": "greedy"}]}
    story.tell("from_scenario", "From a scenario.", "POST", "/v1/games", scenario)
    story.tell("page", "The newest two of all.", "GET", "/v1/games?limit=2")


def apart_from_games(story):
    """Score territories, look at the catalogue, ask how the service is."""
    tiles = [{"tile": "castle-red", "x": 0, "y": 0}, {"tile": "L35", "x": -1, "y": 0, "rotation": 270}]
    body = {"territories": [{"tiles": tiles, "gold": 7}], "scoring_tiles": ["sheep", "most_gold"]}
    story.tell("two_tiles", "A castle and a tile.", "POST", "/v1/scoring", body)
    story.tell("all", "All 78.", "GET", "/v1/tiles")
    story.tell("L45", "One with two ships.", "GET", "/v1/tiles/L45")
    story.tell("L10", "A tile, turned.", "GET", "/v1/tiles/L10/picture.svg?rotation=90")
    sheet = "/v1/tiles/pictures.svg"
    story.tell("start", "The first lines.", "GET", sheet, abridged=lambda text: text[:500])
    story.tell("all", "All 16.", "GET", "/v1/scoring-tiles")
    story.tell("squares", "Squares.", "GET", "/v1/scoring-tiles/squares/picture.svg")
    story.tell("all", "All of them.", "GET", "/v1/scenarios")
    story.tell("addresses", "For a program.", "GET", "/")
    story.tell("addresses", "All of them.", "GET", "/v1")
    story.tell("ok", "It is.", "GET", "/healthz")
    story.tell("ok", "It can.", "GET", "/readyz")

    def first_count(text):
        return "# HELP".join(text.split("# HELP")[:2])

    story.tell("first", "The first of the counts.", "GET", "/metrics", abridged=first_count)


def messages(story):
    """Return an example of each message of the streams, by the operation and the name of the message."""
    pages = {"stream_events": [], "stream_player_events": story.told["list_player_events"].values()}
    pages["stream_events"] = [
        {"answer": story.ask("GET", f"/v1/games/{game}/events?limit=1000", token=host).json}
        for game, host in story.hosts.items()
    ]
    found = {}
    for operation, of_operation in pages.items():
        events = [event for page in of_operation for event in page["answer"]["events"]]
        named = {event["type"]: event for event in reversed(events)}
        for stream in story.told[operation].values():
            named |= {name: data for name, data in parsed(stream["answer"]) if name is not None}
        found[operation] = dict(sorted(named.items()))
    return found


def lab(service):
    """Empty a lab server."""
    story = Story(service)
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "start": True}
    story.ask("POST", "/v1/games", body)
    story.tell("one", "There was one game.", "DELETE", "/v1/lab/games")
    return story.told


def operations():
    """Return the examples of operations and of messages, by name."""
    with LiveService(lab=True) as service:
        of_lab = lab(service)
    with LiveService() as service:
        story = Story(service)
        game, ann = lobby(story)
        a_round(story, game, ann)
        a_look_around(story, game, ann)
        invitation(story)
        league(story)
        player(story)
        pass_and_leave(story)
        after_the_end(story)
        apart_from_games(story)
        end_of_a_player_stream(story)
        return story.told | of_lab, messages(story)


def refusals():
    """Return an example of each refusal that can be provoked, by its code."""
    sentences = {code: sentence for sentence, (code, _) in reversed(PROVOKED.items())}
    told = {code: _refusal(sentence) for code, sentence in sentences.items()}
    limits = {"too_many_requests": _too_many_requests(), "too_many_streams": _too_many_streams()}
    return told | limits | {"server_busy": _server_busy()} | worker_refusals.recorded()


def _refusal(sentence):
    _, prepare = PROVOKED[sentence]
    with LiveService() as service:
        summary = f"{sentence[0].upper()}{sentence[1:].replace('_', ' ')}."
        return {"summary": summary, "value": prepare(service)().json}


def _server_busy():
    body = {"players": [{"bot": "random"}, {"bot": "random"}], "start": True}
    with LiveService() as service, mock.patch.object(cooperative_yield, "MAX_QUEUED", 0):
        with cooperative_yield.Computation():
            answer = service.call("POST", "/v1/games", body)
        return {"summary": "A long computation too many.", "value": answer.json}


def _too_many_requests():
    with LiveService(limits=True) as service:
        while (answer := service.call("POST", "/v1/games")).status_code == 201:
            pass
        return {"summary": "A game too many in a minute.", "value": answer.json}


def _too_many_streams():
    with LiveService(limits=True) as service:
        path, memory = service.table().path("events/stream"), service.app.test_client()
        opened = []
        while (answer := memory.get(path)).status_code == 200:
            opened.append(answer)
        return {"summary": "A stream too many.", "value": answer.json}


def recorded():
    """Return all examples as they are kept."""
    codes = refusals()
    told, of_streams = operations()
    refused = {code: codes[code] for code in sorted(codes)}
    return laid_out({"operations": told, "refusals": refused, "messages": of_streams})


def main():
    """Record the examples again."""
    logging.disable()  # one of the refusals is of a fault, which would be told
    FILE.write_text(recorded() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
