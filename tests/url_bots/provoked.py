"""Requests about bots at URLs that are refused."""

from tests.support.provoked_problems import provokes


@provokes("seat_without_url_bot")
def a_bot_to_release_that_was_never_bound(service):
    game = service.create_game(2)
    return lambda: game.call("DELETE", "bot", seat=0)


@provokes("bot_unreachable")
def a_bot_at_a_url_of_no_host(service):
    body = {"players": [{"name": "Ann"}, {"bot_url": "https://bot.invalid/"}]}
    return lambda: service.call("POST", "/v1/games", body)
