"""Requests that are refused for their form, their token, or the status of the game."""

import gzip

from tests.support.endpoints import PLAYER_KEY, timed
from tests.support.playing import limited
from tests.support.provoked_problems import provokes

# What is wrong with the request itself.


@provokes("malformed_json")
def a_body_that_is_not_json(service):
    """A body that is not JSON."""
    return lambda: service.call("POST", "/v1/games", data="{", content_type="application/json")


@provokes("bad_request")
def a_body_that_breaks_off(service):
    cut = {"CONTENT_LENGTH": "100"}
    return lambda: service.call(
        "POST", "/v1/games", data="{}", content_type="application/json", environ_overrides=cut
    )


@provokes("body_too_large")
def a_body_that_is_too_large(service):
    return lambda: service.call("POST", "/v1/games", {"name": "a" * 300_000})


@provokes("unsupported_media_type")
def a_body_that_does_not_say_it_is_json(service):
    """A body whose `Content-Type` is not JSON."""
    return lambda: service.call("POST", "/v1/games", data="{}", content_type="text/plain")


@provokes("unsupported_media_type")
def a_body_that_is_compressed(service):
    return lambda: service.call(
        "POST",
        "/v1/games",
        data=gzip.compress(b"{}"),
        content_type="application/json",
        headers={"Content-Encoding": "gzip"},
    )


@provokes("not_acceptable")
def a_view_as_html(service):
    """A view of a game as HTML."""
    game = service.create_game()
    return lambda: game.call("GET", headers={"Accept": "text/html"})


@provokes("not_found")
def a_path_that_leads_nowhere(service):
    """A path that does not exist."""
    return lambda: service.call("GET", "/v1/nothing")


@provokes("method_not_allowed")
def a_method_that_a_path_does_not_have(service):
    return lambda: service.call("PATCH", "/v1/games")


@provokes("invalid_body")
def a_body_of_another_shape(service):
    return lambda: service.call("POST", "/v1/games", {"seat_count": "three"})


@provokes("invalid_parameter")
def a_parameter_out_of_range(service):
    return lambda: service.call("GET", "/v1/games?limit=0")


@provokes("version_mismatch")
def a_write_to_another_version(service):
    game = service.create_game()
    return lambda: game.offer(0, 1, 1, headers={"If-Match": '"1"'})


@provokes("idempotency_key_reused")
def a_key_used_before_with_another_body(service):
    key = {"Idempotency-Key": "once-0123456789abcdefghijk"}
    game = service.create_game()
    assert game.offer(0, 1, 1, headers=key).status_code == 200
    return lambda: game.offer(0, 1, 2, headers=key)


# Who asks, and for what.


@provokes("token_required")
def a_write_without_a_token(service):
    game = service.create_game(start=False)
    return lambda: game.call("POST", "start")


@provokes("token_required")
def the_actions_of_a_seat_without_a_token(service):
    game = service.create_game()
    return lambda: service.call("GET", game.path("actions", 0))


@provokes("token_unknown")
def a_token_of_another_game(service):
    game, other = service.create_game(), service.create_game()
    return lambda: game.call("GET", token=other.tokens[0])


@provokes("not_your_seat")
def a_move_for_another_seat(service):
    game = service.create_game()
    return lambda: game.offer(0, 1, 1, token=game.tokens[1])


@provokes("not_your_seat")
def a_move_by_the_host(service):
    game = service.create_game()
    return lambda: game.offer(0, 1, 1, token=game.host)


@provokes("host_only")
def a_start_by_a_player(service):
    game = service.create_game(start=False)
    return lambda: game.call("POST", "start", token=game.tokens[0])


@provokes("host_only")
def a_bot_seated_by_a_player(service):
    game = service.create_game(start=False)
    return lambda: game.call("POST", "players", {"bot": "random"}, token=game.tokens[0])


@provokes("game_not_found")
def a_game_that_does_not_exist(service):
    return lambda: service.call("GET", "/v1/games/nowhere")


@provokes("game_not_found")
def a_private_game_for_a_stranger(service):
    game = service.create_game(visibility="private")
    return lambda: game.call("GET")


@provokes("invitation_not_found")
def a_revocation_of_no_invitation(service):
    game = service.create_game(2, start=False)
    return lambda: game.call("DELETE", f"invitations/{game.invitation}", token=game.host)


@provokes("invitation_over")
def a_game_for_the_holder_of_a_used_invitation(service):
    """An invitation code that a player has used."""
    game = service.begin(visibility="private", players=[{"name": "Ann"}, {"invite": True}])
    (invitation,) = game.created["invitations"]
    game.call("POST", "players", {"name": "Bob"}, token=invitation["code"])
    return lambda: game.call("GET", token=invitation["code"])


@provokes("seat_not_found")
def a_seat_that_nobody_has(service):
    game = service.create_game()
    return lambda: game.call("GET", "territory", seat=3, token=game.host)


@provokes("round_not_found")
def a_round_that_has_not_begun(service):
    game = service.create_game()
    return lambda: game.call("GET", "rounds/2")


@provokes("event_not_found")
def an_event_that_has_not_happened(service):
    game = service.create_game()
    return lambda: service.call("GET", f"{game.path()}?at_event=1000")


@provokes("clock_not_manual")
def a_clock_that_is_not_manual(service):
    game = service.create_game()
    return lambda: game.call("POST", "clock", {"advance_ms": 1}, token=game.host)


@provokes("tile_not_found")
def a_tile_that_does_not_exist(service):
    return lambda: service.call("GET", "/v1/tiles/L74")


# When the game is not there yet, or no more.


@provokes("game_not_started")
def a_move_in_the_lobby(service):
    game = service.create_game(start=False)
    body = {"discard": "L01", "prices": {"L02": 1, "L03": 1}}
    return lambda: game.call("PUT", "offer", body, seat=0)


@provokes("game_already_started")
def a_second_start(service):
    game = service.create_game()
    return lambda: game.call("POST", "start", token=game.host)


@provokes("game_already_started")
def a_player_who_comes_late(service):
    game = service.create_game()
    return lambda: game.call("POST", "players", {"name": "Late"})


@provokes("game_full")
def a_player_too_many(service):
    """One player more than there are seats."""
    game = service.create_game(2, seat_count=2, start=False)
    return lambda: game.call("POST", "players", {"name": "Third"})


@provokes("seat_taken")
def a_seat_that_another_player_has(service):
    game = service.create_game(2, start=False)
    return lambda: game.call("POST", "players", {"name": "Eve", "seat": 1})


@provokes("color_taken")
def a_color_that_another_has(service):
    """A colour that another player has."""
    game = service.create_game(2, start=False)
    return lambda: game.call("POST", "players", {"name": "Third", "color": "red"})


@provokes("name_taken")
def a_name_that_another_has(service):
    """A name that another player has."""
    game = service.create_game(2, start=False)
    return lambda: game.call("POST", "players", {"name": "ann"})


@provokes("player_key_required")
def a_list_of_games_without_a_player_key(service):
    return lambda: service.call("GET", "/v1/me/games")


@provokes("player_key_only")
def a_list_of_games_with_the_token_of_a_seat(service):
    game = service.create_game()
    return lambda: service.call("GET", "/v1/me/games", token=game.tokens[0])


@provokes("already_seated")
def a_second_seat_for_a_player_key(service):
    game = service.create_game(1, start=False)
    game.call("POST", "players", {"name": "Key"}, token=PLAYER_KEY)
    return lambda: game.call("POST", "players", {"name": "Again"}, token=PLAYER_KEY)


@provokes("key_taken")
def a_player_key_that_is_in_use(service):
    used = "skye_key_" + 22 * "U"
    service.call("POST", "/v1/games", {}, used)
    return lambda: service.call("PUT", "/v1/me/key", {"key": used}, PLAYER_KEY)


@provokes("history_lost")
def events_of_a_player_after_one_that_is_unknown(service):
    return lambda: service.call("GET", "/v1/me/events?after=7-7", token=PLAYER_KEY)


@provokes("too_many_games")
def a_game_too_many_for_a_player_key(_service):
    """One game more than a player key can have."""
    service = limited(limit_games_per_key=1)
    service.call("POST", "/v1/games", {}, PLAYER_KEY)
    return lambda: service.call("POST", "/v1/games", {}, PLAYER_KEY)


@provokes("too_few_players")
def a_game_for_one(service):
    """A start with one player."""
    game = service.create_game(1, start=False)
    return lambda: game.call("POST", "start", token=game.host)


@provokes("invalid_setup")
def a_first_seat_that_the_game_does_not_have(service):
    """A starting seat beyond the seats of the game."""
    body = {"seat_count": 2, "options": {"first_seat": 3}}
    return lambda: service.call("POST", "/v1/games", body)


@provokes("game_aborted")
def a_move_in_an_aborted_game(service):
    game = service.create_game()
    assert game.abort().status_code == 200
    body = {"discard": "L01", "prices": {"L02": 1, "L03": 1}}
    return lambda: game.call("PUT", "offer", body, seat=0)


@provokes("game_finished")
def a_move_after_the_end(service):
    game = service.create_game(2)
    game.play_out()
    return lambda: game.call("POST", "building/finish", seat=0)


@provokes("game_finished")
def an_abort_after_the_end(service):
    game = service.create_game(2, bots={0: "random", 1: "random"})
    return game.abort


@provokes("game_paused")
def a_move_in_a_game_that_is_paused(service):
    game = timed(service, paused=True)
    return lambda: game.call("POST", "building/finish", seat=0)


@provokes("game_not_paused")
def a_game_to_resume_that_is_not_paused(service):
    game = timed(service)
    return lambda: game.call("POST", "resume", token=game.tokens[0])


@provokes("pause_not_possible")
def a_pause_of_a_game_without_a_deadline(service):
    game = service.create_game(2)
    return lambda: game.call("POST", "pause", token=game.tokens[0])


@provokes("seat_not_taken_over")
def a_seat_to_take_back_that_its_player_holds(service):
    game = service.create_game(2)
    return lambda: game.call("POST", "return", seat=0)


@provokes("takeover_not_possible")
def a_request_to_take_over_a_seat_that_has_just_begun_its_turn(service):
    game = service.create_game(2)
    assert game.offer(1, 1, 1).status_code == 200
    return lambda: game.call("POST", "players/0/takeover", token=game.tokens[1])


@provokes("proposal_open")
def a_second_proposal(service):
    game = service.create_game(2)
    assert game.call("POST", "abort", token=game.tokens[0]).status_code == 200
    return lambda: game.call("POST", "abort", token=game.tokens[1])


@provokes("already_proposed")
def a_proposal_that_was_withdrawn_in_this_round(service):
    game = service.create_game(2)
    assert game.call("POST", "abort", token=game.tokens[0]).status_code == 200
    assert game.call("POST", "proposal", {"accept": False}, seat=0).status_code == 200
    return lambda: game.call("POST", "abort", token=game.tokens[0])


@provokes("no_open_proposal")
def an_answer_to_no_proposal(service):
    game = service.create_game(2)
    return lambda: game.call("POST", "proposal", {"accept": True}, seat=0)


@provokes("not_public_yet")
def the_events_of_a_game_that_spectators_see_at_its_end(service):
    game = service.create_game(2, options={"public_from": "end"})
    return lambda: game.call("GET", "events")


@provokes("hints_off")
def the_places_of_a_tile_in_a_game_without_hints(service):
    game = service.create_game(2, options={"hints": False})
    return lambda: game.call("GET", "places?tile=L01", seat=0)


@provokes("seat_played_by_bot")
def a_move_for_a_seat_that_a_bot_has_taken_over(service):
    game = service.create_game(2, options={"turn_ms": 1000, "on_timeout": "bot"})
    game.offer(0, 1, 1)
    service.clock.advance(2)
    game.view()
    return lambda: game.call("POST", "building/finish", seat=1)


@provokes("lab_off")
def a_fault_of_a_server_that_is_no_lab(service):
    """A fault for a server that is not a lab."""
    return lambda: service.call("POST", "/v1/games", {}, headers={"Skye-Fault": "drop"})
