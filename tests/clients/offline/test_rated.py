"""A program that plays rated games: it survives outages, and leaves no ticket behind when it ends."""

import asyncio
import contextlib

import pytest

from skye_client import ConnectionFailedError, SkyeError, rated

WAITING = {"id": "t1", "status": "waiting", "game_id": None}
LIVE_2 = {"id": "live_2", "seat_count": 2, "turn_ms": 120_000}
FINISHED = {
    "status": "finished",
    "you": {"seat": 1},
    "players": [{}, {}],
    "result": {"placing": [{"place": 2, "seat": 0}, {"place": 1, "seat": 1}]},
    "rated": {"players": [{"rating": 1500}, {"rating": 1500}]},
}


class Server:
    """Answers requests of a player by a script: an exception, or a response; the last one again and again."""

    def __init__(self, tickets, games=()):
        self._tickets, self._games = list(tickets), list(games)
        self.cancelled, self.look_count, self.ladders = [], 0, self

    async def create_ticket(self, _):
        return self._next(self._tickets)

    async def ticket(self, _):
        self.look_count += 1
        return self._next(self._tickets)

    async def cancel_ticket(self, ticket_id):
        self.cancelled.append(ticket_id)

    def game(self, _):
        return self

    async def get(self):
        return self._next(self._games)

    async def player(self, _):
        return {"ratings": [{"ladder": "live_2", "rating": 1530}]}

    def _next(self, answers):
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    for pause in ("_LOOK_S", "_RESULT_S", "_OUTAGE_S"):
        monkeypatch.setattr(rated, pause, 0.001)


async def play(server, is_enough):
    """Play until a condition holds for the reported lines; return these."""
    lines = []
    task = asyncio.create_task(rated.play_rated(server, server, "ann", LIVE_2, lines.append))
    while not is_enough(lines):
        await asyncio.sleep(0.001)
        assert not task.done(), task
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return lines


def test_program_that_ends_cancels_its_ticket():
    server = Server([WAITING])
    asyncio.run(play(server, lambda _: server.look_count > 1))
    assert server.cancelled == ["t1"]


def test_result_is_reported_once_in_spite_of_outages():
    failed, matched = ConnectionFailedError("no answer"), {**WAITING, "status": "matched", "game_id": "g1"}
    server = Server([failed, WAITING, failed, matched, WAITING], [failed, FINISHED])
    lines = asyncio.run(play(server, bool))
    assert lines == ["g1: place 1 of 2, rating 1530 (+30)"]


def test_ladder_is_one_of_the_server_and_the_first_by_default():
    ladders = [LIVE_2, {**LIVE_2, "id": "blitz_3"}]
    assert [rated.chosen_ladder(ladders, each)["id"] for each in (None, "blitz_3")] == ["live_2", "blitz_3"]
    with pytest.raises(SkyeError, match="no ladder 'live_9', but live_2, blitz_3"):
        rated.chosen_ladder(ladders, "live_9")
