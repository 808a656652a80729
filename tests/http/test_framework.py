"""Responses of the application as a whole."""

from tests.support.playing import Service


def test_no_answer_sets_a_cookie():
    game = Service().create_game()
    answers = [game.call("GET"), game.call("GET", "actions", seat=0), game.offer(0, 1, 1)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert not any("Set-Cookie" in answer.headers for answer in answers)
