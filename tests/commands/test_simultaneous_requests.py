"""Requests sent at the same time."""

from skye_server.store.redis_games import RedisGames
from tests.support.playing import KEY, Service, problem_code
from tests.support.stores import store_of
from tests.support.threads import at_once


def six_answers(service, *args, **more):
    """Return the answers to six clients that send a request at the same time."""
    return at_once(lambda client: client.call(*args, **more), [Service(service.redis) for _ in range(6)])


def test_game_created_by_six_equal_requests_at_once_is_created_once(service):
    body = {"name": "one", "players": [{"name": "Ann"}]}
    answers = six_answers(service, "POST", "/v1/games", body, headers=KEY)
    assert len({answer.data for answer in answers}) == 1
    assert len(service.redis.keys("*:game")) == 1
    assert len(service.get("/v1/games")["games"]) == 1


def test_move_sent_by_six_equal_requests_at_once_is_made_once(service):
    game = service.create_game(2)
    body = game.actions(0)[0]["body"]
    answers = six_answers(service, "PUT", game.path("offer", 0), body, game.tokens[0], KEY)
    assert len({answer.data for answer in answers}) == 1
    assert game.view()["version"] == answers[0].json["version"]


class Overtaken(RedisGames):
    """Games of a store in which another client commits first, once."""

    def __init__(self, calls, overtake):
        super().__init__(calls)
        self._overtake = overtake

    def commit(self, commit):
        if self._overtake is not None:
            overtake, self._overtake = self._overtake, None
            overtake()
        return super().commit(commit)


def test_two_seats_that_act_at_once_both_succeed(service):
    game = service.create_game(3)
    slow = Service(service.redis, store_of(service.redis, Overtaken, lambda: game.offer(1, 2, 2)))
    answer = slow.call("PUT", game.path("offer", 0), game.actions(0)[0]["body"], game.tokens[0])
    assert answer.status_code == 200
    assert answer.json["waiting_for"] == [2]
    events = service.get(game.path("events"))["events"]
    assert [event["seat"] for event in events if event["type"] == "offer_set"] == [1, 0]


def test_overtaken_request_with_if_match_is_refused(service):
    game = service.create_game(3)
    slow = Service(service.redis, store_of(service.redis, Overtaken, lambda: game.offer(1, 2, 2)))
    headers = {"If-Match": f'"{game.view()["version"]}"'}
    body = game.actions(0)[0]["body"]
    answer = slow.call("PUT", game.path("offer", 0), body, game.tokens[0], headers)
    assert problem_code(answer) == "version_mismatch"
    assert game.view()["waiting_for"] == [0, 2]
