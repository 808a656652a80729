"""Earlier versions of a match, rebuilt from its event log."""

import msgspec
import pytest

from skye_server.games.authorization import SPECTATOR, Caller
from skye_server.games.replay import empty_game, replay_changes
from skye_server.games.views.game import game_view
from skye_server.store import game_history
from skye_server.store.codec import changes_from_log, decode_game
from skye_server.store.game_history import GameHistory
from skye_server.store.redis_games import RedisGames
from tests.support.other_rules import change_draws, change_rules
from tests.support.playing import Service, dice
from tests.support.stores import store_of


class RecordingGames(RedisGames):
    """Games that record every committed match."""

    def __init__(self, calls):
        super().__init__(calls)
        self.matches = {}

    def commit(self, commit):
        done = super().commit(commit)
        if done:
            match = decode_game(commit.game)
            self.matches[match.version] = match
        return done


@pytest.fixture
def recorded(monkeypatch):
    """A service on a recording store; every third version of a match is kept when it is rebuilt."""
    monkeypatch.setattr(game_history, "KEEP_EVERY", 3)
    service = Service()
    store = store_of(service.redis, RecordingGames)
    return Service(service.redis, store), store.games


def check(games, game):
    """Compare every committed version with the one rebuilt from the log, as each caller sees it."""
    stored, entries = games.load_with_log(game.id)
    match = decode_game(stored)
    changes = changes_from_log(match, 0, entries)
    assert len(games.matches) > 1
    history = GameHistory(games)
    for version, committed in [*games.matches.items()] * 2:  # the second time from kept matches
        due = [change for change in changes if change.version <= version]
        from_start, from_kept = replay_changes(empty_game(match), due), history.at_version(match, version)
        assert from_start.state == from_kept.state == committed.state, version
        seats = range(len(committed.seats))[:2]  # one seat, and another
        for caller in (SPECTATOR, Caller(host=True), *(Caller(seat=seat) for seat in seats)):
            expected, *views = (
                msgspec.json.encode(game_view(each, caller.in_game(each)))
                for each in (committed, from_start, from_kept)
            )
            assert views == [expected] * 2, (version, caller)


def test_versions_with_bots_undone_moves_and_a_resigned_seat_are_rebuilt(recorded):
    service, games = recorded
    game = service.create_game(3, bots={2: "random"})
    assert game.offer(0, 1, 1).status_code == 200
    assert game.offer(0, 1, 2).status_code == 200
    game.play_to("building", 2, dice(7))
    place = next(action for action in game.actions(0) if action["type"] == "place")
    game.act(0, place)
    game.act(0, next(action for action in game.actions(0) if action["type"] == "take_back"))
    assert game.call("POST", "resign", seat=1).status_code == 200
    game.play_out(dice(8))
    check(games, game)


def test_versions_of_a_lobby_with_changing_seats_are_rebuilt(recorded):
    service, games = recorded
    game = service.create_game(3, start=False, visibility="private")
    assert game.call("DELETE", seat=1).status_code == 200
    assert game.call("POST", "players", {"name": "Fay", "color": "white"}, token=game.host).status_code < 300
    assert game.call("POST", "players", {"bot": "random"}, token=game.host).status_code == 201
    assert game.call("POST", "start", token=game.host).status_code == 200
    assert game.call("POST", "abort", token=game.host).status_code == 200
    check(games, game)


@pytest.mark.parametrize("on_timeout", ["auto", "bot"])
def test_versions_after_missed_deadlines_are_rebuilt(recorded, on_timeout):
    service, games = recorded
    game = service.create_game(3, options={"turn_ms": 60_000, "on_timeout": on_timeout})
    game.offer(0, 1, 1)
    for _ in range(6):
        service.clock.advance(61)
        service.get(game.path())
    check(games, game)


def test_versions_of_a_game_that_began_from_a_record_are_rebuilt(recorded):
    service, games = recorded
    over = Service().create_game(2)
    over.play_out(dice(3))
    game = service.begin(record=over.service.get(over.path("record")), stop_at=20)
    game.play_to("building", 4, dice(4))
    check(games, game)


def test_every_version_of_a_lobby_with_invitations_is_rebuilt(recorded):
    service, games = recorded
    game = service.create_game(2, start=False)
    codes = [game.call("POST", "invitations", token=game.host).json["invitation"]["code"] for _ in range(2)]
    game.call("PATCH", "", {"name": "Ada", "color": "green"}, seat=0)
    game.tokens[1] = game.call("POST", "token", seat=1).json["token"]
    game.call("POST", "players", {"name": "Eve"}, token=codes[1])
    game.call("POST", "start", token=game.host)
    check(games, game)


def test_versions_are_rebuilt_from_the_log_under_other_draws_and_rules(recorded, monkeypatch):
    service, games = recorded
    game = service.create_game(2)
    game.play_to("building", 2, dice(5))
    change_draws(monkeypatch)
    change_rules(monkeypatch)
    check(games, game)
