"""The limit on open streams."""

from contextlib import ExitStack

import pytest

from tests.support.playing import limited, problem_code


@pytest.fixture
def stream():
    """Return a function that opens a stream; it ends when its response is closed, or with the test."""
    with ExitStack() as opened:

        def stream(game, token=None, address="192.0.2.1"):
            answer = game.call("GET", "events/stream", token=token, environ_base={"REMOTE_ADDR": address})
            opened.callback(answer.close)
            return answer

        yield stream


def test_one_stream_too_many_is_refused_until_another_is_closed(stream):
    service = limited(limit_streams=2)
    game = service.create_game()
    opened = [stream(game), stream(game)]
    refused = stream(game)
    assert (refused.status_code, problem_code(refused)) == (429, "too_many_streams")
    assert "Retry-After" in refused.headers
    opened[0].close()
    opened.append(stream(game))
    assert opened[2].status_code == 200


def test_streams_are_counted_by_token_or_by_address_without_one(stream):
    service = limited(limit_streams=1)
    game = service.create_game()
    opened = [stream(game, game.tokens[0]), stream(game, game.tokens[1]), stream(game)]
    opened.append(stream(game, address="192.0.2.2"))
    assert [answer.status_code for answer in opened] == [200] * 4
    refused = [stream(game, game.tokens[0], "192.0.2.3"), stream(game)]
    assert [answer.status_code for answer in refused] == [429] * 2


def test_streams_and_long_polls_of_one_address_share_a_limit(stream):
    service = limited(limit_streams_per_address=3)
    game = service.create_game()
    for token in (*game.tokens[:2], None):
        assert stream(game, token).status_code == 200

    last = game.view()["last_event"]

    def long_poll(address):
        environ = {"REMOTE_ADDR": address}
        path = f"events?wait_ms=100&after={last}"
        return game.call("GET", path, token=game.tokens[2], environ_base=environ)

    refused = long_poll("192.0.2.1")
    assert (refused.status_code, problem_code(refused)) == (429, "too_many_streams")
    assert long_poll("192.0.2.2").status_code == 200
    at_once = game.call("GET", "events", environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert at_once.status_code == 200


def test_long_poll_that_has_ended_counts_no_more(stream):
    service = limited(limit_streams_per_address=1)
    game = service.create_game()
    last = game.view()["last_event"]
    for _ in range(3):
        assert game.call("GET", f"events?wait_ms=10&after={last}").status_code == 200
    assert stream(game).status_code == 200


def test_stream_may_be_closed_twice(stream):
    service = limited(limit_streams=1)
    game = service.create_game()
    for _ in range(2):
        opened = stream(game)
        assert opened.status_code == 200
        opened.close()
        opened.close()


def test_any_number_of_streams_may_be_open_without_limits(service, stream):
    game = service.create_game()
    opened = [stream(game) for _ in range(30)]
    assert {answer.status_code for answer in opened} == {200}
