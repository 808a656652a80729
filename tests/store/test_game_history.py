"""The work that a read of the past costs, and the games that are kept for the next one."""

from collections import Counter

import pytest

from skye_server.games import replay
from skye_server.store import codec, game_history
from skye_server.store.shards import key_of
from tests.support.playing import KEY

KEPT = game_history.KEEP_EVERY


@pytest.fixture
def work(monkeypatch):
    """Count the actions that are replayed, and the log entries that are decoded."""
    counted = Counter()

    def count(module, name):
        call = getattr(module, name)

        def counting(*arguments):
            counted[name] += 1
            return call(*arguments)

        monkeypatch.setattr(module, name, counting)

    count(replay, "apply_event")
    count(codec, "decode_entry")
    return counted


@pytest.fixture
def long_game(service):
    """A game with 750 changes."""
    return service.begin(scenario="undo_limit")


def test_second_read_of_the_past_replays_few_changes(long_game, work):
    last = long_game.view()["last_event"]
    first = long_game.service.get(f"{long_game.path()}?at_event={last - 1}")
    assert work["apply_event"] > 700
    for event in (last - 1, last // 2, 200):
        work.clear()
        past = long_game.service.get(f"{long_game.path()}?at_event={event}")
        assert past["last_event"] == event
        assert max(work.values()) <= KEPT + 1, (event, work)
    assert long_game.service.get(f"{long_game.path()}?at_event={last - 1}")["players"] == first["players"]


def test_replayed_response_after_later_changes_replays_few_changes(long_game, work):
    action = long_game.actions(0)[0]
    first = long_game.send(0, action, headers=KEY)
    long_game.act_legally(0)
    responses = []
    for _ in range(2):
        work.clear()
        responses.append(long_game.send(0, action, headers=KEY))
    assert [each.data for each in responses] == [first.data] * 2
    assert max(work.values()) <= KEPT + 1, work


def test_early_version_decodes_only_the_log_before_it(long_game, work):
    long_game.service.get(f"{long_game.path()}?at_event=3")
    assert max(work.values()) <= 3


@pytest.fixture
def restart(service):
    """Return a function that stores the present of a game, and returns one that restores it."""

    def remember(game):
        table, log = [key_of(game.id, part) for part in ("game", "log")]
        before, entries = service.redis.get(table), service.redis.xrange(log)

        def lose_later_changes():
            service.redis.set(table, before)
            service.redis.delete(log)
            for entry_id, fields in entries:
                service.redis.xadd(log, fields, entry_id)

        return lose_later_changes

    return remember


def test_kept_game_whose_change_was_lost_is_not_used(service, restart, monkeypatch):
    monkeypatch.setattr(game_history, "KEEP_EVERY", 1)
    game = service.create_game(3)
    lose_later_changes = restart(game)

    def past(prices):
        assert game.offer(0, *prices).status_code == 200
        at = game.view()["last_event"]
        assert game.offer(1, 1, 1).status_code == 200
        return service.get(f"{game.path()}?at_event={at}", game.tokens[0])["players"][0]["tiles_on_offer"]

    first = past((1, 2))
    lose_later_changes()
    assert past((2, 1)) != first


def test_kept_game_of_a_higher_version_is_not_used(service, restart, monkeypatch):
    monkeypatch.setattr(game_history, "KEEP_EVERY", 1)
    game = service.create_game(2, start=False)
    lose_later_changes = restart(game)
    for name in ("A", "B", "C", "D"):
        assert game.call("PATCH", seat=0, body={"name": name}).status_code == 200
    lost = game.view()
    service.get(f"{game.path()}?at_event={lost['last_event']}")
    lose_later_changes()
    assert game.call("POST", "start", token=game.host).status_code == 200
    view = game.view()
    assert view["version"] < lost["version"] < view["last_event"]
    assert service.get(f"{game.path()}?at_event={view['last_event']}")["status"] == "playing"
