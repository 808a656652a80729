"""Requests about profiles, rated games and ladders that are refused."""

from tests.ladder.support import begin_rated, new_player, put_profile, seek_rated
from tests.support.endpoints import PLAYER_KEY
from tests.support.provoked_problems import provokes


@provokes("profile_required")
def a_rated_ticket_without_a_profile(service):
    return lambda: seek_rated(service, PLAYER_KEY, "127.0.0.1")


@provokes("profile_not_found")
def a_player_whom_nobody_knows(service):
    return lambda: service.call("GET", "/v1/players/nobody-knows")


@provokes("profile_name_taken")
def a_name_that_another_player_has(service):
    new_player(service, "ann")
    return lambda: put_profile(service, PLAYER_KEY, "ann")


@provokes("renamed_lately")
def a_second_name_in_a_week(service):
    put_profile(service, PLAYER_KEY, "ann")
    return lambda: put_profile(service, PLAYER_KEY, "bob")


@provokes("bot_is_final")
def a_bot_that_would_be_a_person(service):
    put_profile(service, PLAYER_KEY, "robot", bot=True)
    begin_rated(service, PLAYER_KEY, new_player(service, "ann"))
    return lambda: put_profile(service, PLAYER_KEY, "robot")


@provokes("ladder_not_found")
def a_ladder_that_does_not_exist(service):
    return lambda: service.call("GET", "/v1/ladders/blitz-7")


@provokes("rated_game")
def an_abort_of_a_rated_game(service):
    game = begin_rated(service, new_player(service, "ann"), new_player(service, "bob"))
    game.act_legally(0)
    return lambda: game.call("POST", "abort", token=game.tokens[0])
