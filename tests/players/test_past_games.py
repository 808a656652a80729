"""The history and the statistics of a player key: results that outlive their games, each counted once."""

import itertools
import json
import random

import pytest

from skye_server.games.authorization import hash_player_key
from skye_server.games.past_games import PastGame, PastSeat, counters_of
from skye_server.games.seat_ends import SeatEnd, SeatOutcome
from skye_server.players.codec import past_games
from skye_server.store import history_store
from skye_server.store.outages import RECONNECT_MS
from skye_server.store.shards import key_of, player_key
from tests.support.dispatching import (
    crash_before_relay,
    dispatch,
    games_of,
    put_back,
    rebuild_all,
    saved,
)
from tests.support.outages import Processes
from tests.support.playing import Service, dice, new_key, problem_code

DAY_S = 86_400
MAX_RECORD_BYTES = 1_200


def history(service, key, query=""):
    return service.get(f"/v1/me/records{query}", key)["games"]


def statistics(service, key):
    found = service.get("/v1/me/statistics", key)
    del found["now"]
    return found


def resigned_game(service, key, **more):
    """Return a game that a bot has finished after the player of the key decided once and resigned."""
    game = service.create_game(2, key=key, bots={1: "random"}, **more)
    game.act_legally(0)
    assert game.call("POST", "resign", seat=0).status_code == 200
    return game


def expire(service, game):
    """Delete what is stored of a game, as Redis does in time."""
    service.redis.delete(*service.redis.keys(key_of(game.id, "*")))


def forgotten(service):
    """Return the keys of histories."""
    return [key for kind in history_store.HISTORY_KINDS for key in service.redis.keys(f"*:{kind}")]


class Played:
    """A game of two keys and a bot, of which each person took some time for each decision."""

    def __init__(self):
        self.service, self.keys = Service(), [new_key(), new_key()]
        players = [{"name": "Ann"}, {"bot": "random"}, {"invite": True}]
        options = {"turn_ms": 3_600_000}
        self.game = self.service.begin(
            self.keys[0], players=players, visibility="private", auto_start=True, options=options
        )
        body = {"name": "Bob", "invite_code": self.game.created["invitations"][0]["code"]}
        assert self.game.call("POST", "players", body, token=self.keys[1]).status_code == 201
        self.game.tokens = [self.keys[0], None, self.keys[1]]
        self.started_ms = round(1000 * self.service.clock.now)
        self.waits = {0: [], 2: []}
        self._play()
        self.view = self.service.get(self.game.path(), self.keys[0])

    def _play(self):
        chance, open_since = dice(4), {}
        while True:
            view = self.service.get(self.game.path(), self.keys[0])
            turn = dict.fromkeys(view["waiting_for"], view["phase"])
            now = self.service.clock.now
            for seat in list(open_since):
                phase, since = open_since[seat]
                if turn.get(seat) != phase:
                    self.waits[seat].append(now - since)
                    del open_since[seat]
            if not turn:
                return
            for seat, phase in turn.items():
                open_since.setdefault(seat, (phase, now))
            self.service.clock.advance(chance.randint(1, 9))
            self.game.act_legally(chance.choice(view["waiting_for"]), chance)


@pytest.fixture(scope="module")
def played():
    return Played()


def test_history_has_the_result_that_every_reader_of_the_game_sees(played):
    view, result = played.view, played.view["result"]
    for seat, key in zip((0, 2), played.keys, strict=True):
        (past,) = history(played.service, key)
        assert past["game_id"] == played.game.id
        assert {name: past[name] for name in ("winners", "placing")} == {
            name: result[name] for name in ("winners", "placing")
        }
        shown = [
            {name: player[name] for name in ("seat", "name", "color", "bot", "score", "end")}
            for player in view["players"]
        ]
        assert past["players"] == shown
        assert (past["name"], past["ruleset"], past["visibility"]) == (
            view["name"],
            view["ruleset"],
            "private",
        )
        assert past["clock"] == {
            "turn_ms": 3_600_000, "budget_ms": None, "increment_ms": 0, "on_timeout": "auto",
        }  # fmt: skip
        assert past["seat"] == seat
        assert {"place": past["place"], "seat": seat} in result["placing"]
        events = played.service.get(played.game.path("events"), key)["events"]
        (started,) = (event["at"] for event in events if event["type"] == "game_started")
        (finished,) = (event["at"] for event in events if event["type"] == "game_finished")
        assert (past["started_at"], past["finished_at"]) == (started, finished)


def test_history_has_no_keys_and_no_ids_of_players(played):
    ids = {played.service.get("/v1/me", key)["id"] for key in played.keys}
    secret = ids | set(played.keys) | {hash_player_key(key) for key in played.keys}
    paths = ("/v1/me/records", "/v1/me/statistics")
    shown = json.dumps([played.service.get(path, played.keys[0]) for path in paths])
    stored = str(played.service.redis.hgetall(player_key(hash_player_key(played.keys[0]), "history")))
    assert [text for text in secret if text in shown + stored] == []


def test_statistics_count_places_points_and_pace(played):
    for seat, key in zip((0, 2), played.keys, strict=True):
        found, (past,) = statistics(played.service, key), history(played.service, key)
        own = played.view["result"]["players"][seat]
        assert found["by_player_count"] == [
            {
                "player_count": 3,
                "games": 1,
                "wins": int(seat in past["winners"]),
                "places": [int(place == past["place"]) for place in (1, 2, 3)],
                "mean_score": own["score"],
            }
        ]
        tiles = {each["scoring_tile"]: each["mean_points"] for each in found["by_scoring_tile"]}
        assert tiles == {each["scoring_tile"]: each["points"] for each in own["scoring_tiles"]}
        waits = played.waits[seat]
        assert found["pace"]["decisions"] == len(waits) > 10
        assert found["pace"]["mean_ms"] == pytest.approx(1000 * sum(waits) / len(waits), abs=0.01)
        assert (found["games"], found["against_bots"], found["resigned"]) == (1, 0, 0)


def test_history_and_statistics_outlive_the_game_and_a_rebuild(service):
    key = new_key()
    games = [resigned_game(service, key) for _ in range(2)]
    before = history(service, key), statistics(service, key)
    assert [past["game_id"] for past in before[0]] == sorted([game.id for game in games], reverse=True)
    expire(service, games[0])
    rebuild_all(service)
    rebuild_all(service)
    assert (history(service, key), statistics(service, key)) == before
    own = [own["game"]["id"] for own in service.get("/v1/me/games", key)["games"]]
    assert own == [games[1].id]


def test_rebuild_derives_a_lost_history_of_games_that_are_stored(service):
    key = new_key()
    resigned_game(service, key)
    before = history(service, key), statistics(service, key)
    service.redis.delete(*forgotten(service))
    assert (history(service, key), statistics(service, key)["games"]) == ([], 0)
    rebuild_all(service)
    assert (history(service, key), statistics(service, key)) == before


def test_crash_before_the_relay_is_finished_and_counts_once(service, monkeypatch):
    key = new_key()
    with monkeypatch.context() as patched:
        crash_before_relay(patched)
        game = resigned_game(service, key)
    assert history(service, key) == []
    service.clock.advance(2)
    dispatch(service)
    assert [past["game_id"] for past in history(service, key)] == [game.id]
    rebuild_all(service)
    assert statistics(service, key)["games"] == 1


def test_end_that_a_failover_has_lost_is_taken_back(service):
    key = new_key()
    before = statistics(service, key)
    game = service.create_game(2, key=key, bots={1: "random"})
    game.act_legally(0)
    kept = saved(service, key_of(game.id, "*"))
    game.call("POST", "resign", seat=0)
    assert statistics(service, key)["games"] == 1
    put_back(service, kept)
    rebuild_all(service)
    assert (history(service, key), statistics(service, key)) == ([], before)
    game.call("POST", "resign", seat=0)
    assert [past["game_id"] for past in history(service, key)] == [game.id]
    assert statistics(service, key)["games"] == 1


def test_other_end_after_a_failover_replaces_what_was_counted(service):
    key = new_key()
    game = service.create_game(2, key=key, bots={1: "random"}, options={"turn_ms": 60_000})
    game.act_legally(0)
    kept = saved(service, key_of(game.id, "*"))
    game.call("POST", "resign", seat=0)
    assert statistics(service, key)["missed_deadlines"] == 0
    put_back(service, kept)
    service.clock.advance(61)
    service.get(game.path())
    game.call("POST", "resign", seat=0)
    (past,) = history(service, key)
    assert past["players"][0]["end"]["missed_deadlines"] == 1
    found = statistics(service, key)
    assert (found["games"], found["resigned"], found["missed_deadlines"]) == (1, 1, 1)


def test_seat_that_was_given_up_ends_as_it_did_and_counts_no_points(service):
    key = new_key()
    resigned_game(service, key)
    late = service.create_game(
        2, key=key, bots={1: "random"}, options={"turn_ms": 60_000, "on_timeout": "bot"}
    )
    late.act_legally(0)
    while service.get(late.path())["status"] == "playing":
        service.clock.advance(61)
    ends = [past["players"][past["seat"]]["end"] for past in history(service, key)]
    assert [end["type"] for end in ends] == ["took_over", "resigned"]
    assert (ends[0]["server_decisions"], ends[0]["decisions"]) == (17, 18)
    found = statistics(service, key)
    assert (found["resigned"], found["took_over"], found["against_bots"]) == (1, 1, 2)
    assert found["server_decisions"] == sum(end["server_decisions"] for end in ends)
    assert (found["by_player_count"][0]["mean_score"], found["by_scoring_tile"]) == (None, [])
    assert found["by_player_count"][0]["places"] == [0, 2]


def test_time_in_which_a_bot_plays_for_the_player_is_no_pace(service):
    key = new_key()
    options = {"turn_ms": 60_000, "on_timeout": "bot", "first_seat": 0}
    game = service.create_game(2, key=key, options=options)
    service.clock.advance(20)
    game.offer(1, 1, 1)
    service.clock.advance(41)
    service.get(game.path())  # a bot takes over
    service.clock.advance(10)
    game.call("POST", "return", seat=0)
    game.call("POST", "resign", seat=0)
    game.call("POST", "resign", seat=1)
    found = statistics(service, key)["pace"]
    assert found["decisions"] == 0


def without_seat_0(service, game, number):
    """Let the others play up to a round, while the server decides for seat 0."""
    chance = dice(1)
    while (view := service.get(game.path()))["round"] < number:
        others = [seat for seat in view["waiting_for"] if seat != 0]
        if others:
            game.act_legally(others[0], chance)
        else:
            service.clock.advance(3_600)


def test_game_aborted_because_of_an_absent_player_is_in_the_histories(service):
    keys = [new_key(), new_key()]
    options = {"turn_ms": 1000 * DAY_S, "host_may_abort": True}
    players = [{"name": "Ann"}, {"invite": True}]
    game = service.begin(keys[0], players=players, options=options)
    code = game.created["invitations"][0]["code"]
    joining = {"name": "Bob", "invite_code": code}
    assert game.call("POST", "players", joining, token=keys[1]).status_code == 201
    game.tokens = keys
    assert game.call("POST", "start", token=keys[0]).status_code == 200
    game.offer(1, 1, 1)
    service.clock.advance(DAY_S)
    without_seat_0(service, game, 2)
    service.clock.advance(DAY_S / 2)
    without_seat_0(service, game, 3)
    service.clock.advance(DAY_S / 2)
    assert game.call("POST", "abort", token=keys[0]).json["status"] == "aborted"
    for seat, key in enumerate(keys):
        (past,) = history(service, key)
        assert (past["status"], past["absent"], past["place"]) == ("aborted", [0], None)
        assert (past["winners"], past["placing"]) == ([], [])
        assert [player["end"]["type"] for player in past["players"]] == ["took_over", "played"]
        found = statistics(service, key)
        assert (found["games"], found["by_player_count"], found["took_over"]) == (0, [], 0)
        assert found["aborted"] == {"games": 1, "absent": int(seat == 0)}
    before = history(service, keys[1]), statistics(service, keys[1])
    rebuild_all(service)
    assert (history(service, keys[1]), statistics(service, keys[1])) == before


def test_game_in_which_no_person_decided_is_in_no_history(service):
    keys = [new_key(), new_key()]
    for decides in (False, True):
        game = service.create_game(1, key=keys[0], start=False, seat_count=2)
        game.call("POST", "players", {"name": "Bob"}, token=keys[1])
        game.call("POST", "start", token=keys[0])
        if decides:
            offer = service.get(game.path("actions", 1), keys[1])["actions"][0]
            service.call(offer["method"], offer["href"], offer["body"], keys[1])
        for seat, key in enumerate(keys):
            game.call("POST", "resign", token=key, seat=seat)
        assert service.get(game.path())["status"] == "finished"
        for key in keys:
            assert len(history(service, key)) == statistics(service, key)["games"] == int(decides)


def test_aborted_game_without_absent_players_is_in_no_history(service):
    key = new_key()
    game = service.create_game(2, key=key)
    assert game.abort().json["status"] == "aborted"
    assert (history(service, key), statistics(service, key)["aborted"]["games"]) == ([], 0)


def pace(service, game, key):
    """Let all players resign, and return the decisions of a key and the seconds that they took."""
    for seat in range(len(game.tokens)):
        game.call("POST", "resign", seat=seat)
    found = statistics(service, key)["pace"]
    return found["decisions"], found["decisions"] * (found["mean_ms"] or 0) / 1000


def test_decision_of_the_server_is_nobodys_pace(service):
    key = new_key()
    game = service.create_game(2, key=key, options={"turn_ms": 60_000, "first_seat": 0})
    service.clock.advance(5)
    game.offer(0, 1, 1)
    game.offer(1, 1, 1)
    service.clock.advance(61)
    assert service.get(game.path())["waiting_for"] == [1]
    assert pace(service, game, key) == (1, 5)


def test_offer_of_the_server_that_the_player_replaced_is_the_players_pace(service):
    key = new_key()
    game = service.create_game(3, key=key, options={"turn_ms": 60_000})
    game.offer(1, 1, 1)
    game.offer(2, 1, 1)
    service.clock.advance(61)
    without_seat_0(service, game, 2)
    service.clock.advance(10)
    assert service.get(game.path())["players"][0]["offer_set"]
    game.call("POST", "return", seat=0)
    game.offer(0, 1, 1)
    assert pace(service, game, key)[0] == 1


def test_pause_is_no_pace(service):
    key = new_key()
    game = service.create_game(2, key=key, options={"turn_ms": 60_000})
    service.clock.advance(5)
    game.call("POST", "pause", token=game.tokens[0])
    game.call("POST", "proposal", {"accept": True}, seat=1)
    service.clock.advance(100)
    game.call("POST", "resume", token=game.tokens[0])
    service.clock.advance(7)
    game.offer(0, 1, 1)
    assert pace(service, game, key) == (1, 12)


def test_outage_is_no_pace(monkeypatch):
    processes, key = Processes(monkeypatch), new_key()
    service = processes.worker
    game = service.create_game(2, key=key, options={"turn_ms": 600_000})
    processes.play(4)
    processes.stop(300)
    processes.play(RECONNECT_MS / 1000 + 7)
    game.offer(0, 1, 1)
    assert pace(service, game, key) == (1, 11)


@pytest.mark.parametrize("kind", ["manual", "position", "hosted"])
def test_game_that_no_player_played_from_the_start_is_left_out(service, kind):
    key = new_key()
    players = [{"name": "Ann"}, {"bot": "random"}]
    if kind == "manual":
        options = {"clock": "manual", "turn_ms": 1000}
        game = service.begin(key, players=players, auto_start=True, options=options)
    elif kind == "position":
        position = {"round": 5, "phase": "pricing", "players": [{"gold": 9}, {"gold": 9}]}
        game = service.begin(key, players=players, position=position)
    else:
        game = service.begin(key, players=[{"bot": "random"}] * 2, auto_start=True)
    if kind != "hosted":
        assert game.call("POST", "resign", token=key, seat=0).status_code == 200
    assert service.get(game.path())["status"] == "finished"
    assert (history(service, key), statistics(service, key)["games"]) == ([], 0)


def test_pages_have_each_game_once_the_last_to_finish_first(service):
    key, games = new_key(), []
    for number in range(5):
        service.clock.advance(number % 2)  # some finish in the same millisecond
        games.append(resigned_game(service, key).id)
    pages, path = [], "/v1/me/records?limit=2"
    while path:
        answer = service.call("GET", path, token=key)
        pages.append([past["game_id"] for past in answer.json["games"]])
        cursor = answer.json["next_cursor"]
        path = cursor and f"/v1/me/records?limit=2&cursor={cursor}"
        assert ("Link" in answer.headers) == bool(path)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert sorted(itertools.chain(*pages)) == sorted(games)
    assert pages[2] == [games[0]]


def test_game_leaves_the_history_in_time_and_still_counts():
    service, key = Service(history_ttl_s=10 * DAY_S), new_key()
    old = resigned_game(service, key)
    service.clock.advance(11 * DAY_S)
    assert history(service, key) == []
    new = resigned_game(service, key)
    assert [past["game_id"] for past in history(service, key)] == [new.id]
    (name,) = service.redis.keys("*:history")
    assert service.redis.hkeys(name) == [new.id.encode()]
    assert 0 < service.redis.ttl(name) <= 10 * DAY_S
    rebuild_all(service)
    assert service.get(old.path())["status"] == "finished"
    assert statistics(service, key)["games"] == 2


def test_history_has_a_bounded_number_of_games_and_forgets_the_oldest(service, monkeypatch):
    monkeypatch.setattr(history_store, "MAX_PAST_GAMES", 2)
    key, games = new_key(), []
    for _ in range(4):
        service.clock.advance(1)
        games.append(resigned_game(service, key).id)
    rebuild_all(service)
    assert [past["game_id"] for past in history(service, key)] == games[:1:-1]
    assert statistics(service, key)["games"] == 4


def test_corrupt_past_game_is_left_out_of_the_history(service):
    key = new_key()
    games = [resigned_game(service, key) for _ in range(2)]
    (name,) = service.redis.keys("*:history")
    service.redis.hset(name, games[0].id, b"corrupt")
    assert [past["game_id"] for past in history(service, key)] == [games[1].id]


def test_replaced_key_keeps_the_history(service):
    old, new = new_key(), new_key()
    game = resigned_game(service, old)
    service.call("PUT", "/v1/me/key", {"key": new}, old)
    assert [past["game_id"] for past in history(service, new)] == [game.id]
    assert problem_code(service.call("GET", "/v1/me/records", token=old)) == "token_unknown"
    assert problem_code(service.call("GET", "/v1/me/statistics", token=old)) == "token_unknown"


def test_key_with_a_history_only_replaces_no_other(service):
    key = new_key()
    expire(service, resigned_game(service, key))
    service.redis.delete(*service.redis.keys("skye:{player.*}:games"), *service.redis.keys("*:events"))
    answer = service.call("PUT", "/v1/me/key", {"key": key}, new_key())
    assert problem_code(answer) == "key_taken"


def test_deleted_player_has_no_history(service):
    key = new_key()
    resigned_game(service, key)
    assert len(forgotten(service)) == 3
    games_of(service).store.players.delete(hash_player_key(key))
    assert forgotten(service) == []
    assert (history(service, key), statistics(service, key)["games"]) == ([], 0)


def random_past_game(chance, name):
    """Return a past game with any values, and names that `name()` returns."""
    size = chance.randint(2, 5)
    order = chance.sample(range(size), size)

    def outcome():
        counts = [chance.randint(0, 18), chance.randint(0, 18), 18]
        end = chance.choice(list(SeatEnd))
        if end is SeatEnd.PLAYED:
            return SeatOutcome(end, None, None, None, None, *counts)
        date = 1_800_000_000_000 + chance.randint(0, 10**9)
        return SeatOutcome(end, date, "greedy", 3, "building", *counts)

    seats = tuple(
        PastSeat(
            name(),
            "green",
            chance.choice([None, "strategist"]),
            chance.randint(0, 120),
            outcome(),
        )
        for _ in range(size)
    )
    tiles = chance.sample(["full-towers", "sheep", "whisky-pairs", "roads-to-castle", "mountains"], 4)
    return PastGame(
        name=name(60),
        ruleset="base+01234567",
        private=True,
        started_ms=1_800_000_000_000,
        finished_ms=1_800_000_000_000 + chance.randint(0, 10**9),
        turn_ms=2_592_000_000,
        budget_ms=2_592_000_000,
        increment_ms=2_592_000_000,
        on_timeout="auto",
        seat=chance.randrange(size),
        placing=tuple(enumerate(order, 1)),
        absent=(),
        seats=seats,
        scoring=tuple((tile, chance.randint(0, 60)) for tile in tiles),
        decisions=chance.randint(0, 200),
        decision_ms=chance.randint(0, 10**9),
    )


def test_past_game_with_the_longest_names_takes_at_most_1200_bytes():
    chance = random.Random(1)
    sizes = []
    for first, last in ((0x4E00, 0x9FFF), (0x1F300, 0x1FAFF), (0x20000, 0x2FFFF)):

        def name(length=40, first=first, last=last):
            return "".join(chr(chance.randint(first, last)) for _ in range(length))

        for _ in range(20):
            past = random_past_game(chance, name)
            record = past_games.encode(past)
            assert past_games.decode(record) == past
            sizes.append(len(record))
    assert max(sizes) <= MAX_RECORD_BYTES


def test_counters_of_a_past_game_are_not_negative_and_name_its_size():
    chance = random.Random(2)
    for _ in range(50):
        past = random_past_game(chance, lambda _=0: "Ann")
        counters = counters_of(past)
        assert min(counters.values()) > 0
        assert counters[f"games:{len(past.seats)}"] == counters["games"] == 1
        assert counters[f"place:{len(past.seats)}:{past.place}"] == 1
