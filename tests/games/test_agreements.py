"""A game that several people play is aborted by their agreement; a proposal never blocks play."""

import pytest

from tests.support.playing import KEY, NAMES, Game, dice, new_key, problem_code

MINUTE_S = 60


@pytest.fixture
def game(service):
    """A game of three people in play."""
    return service.create_game(3)


HOST = None


def propose(game, seat=0):
    """Propose to end a game, as a seat or as its host."""
    return game.call("POST", "abort", token=game.host if seat is HOST else game.tokens[seat])


def answer(game, seat, accept):
    return game.call("POST", "proposal", {"accept": accept}, seat=seat)


def proposals(game):
    """Return the events about proposals, and of the end of the game, without their numbers and times."""
    events = game.service.get(game.path("events?limit=1000"))["events"]
    names = ("kind", "seat", "accepted", "outcome", "reason")
    return [
        (event["type"], *(event[name] for name in names if name in event))
        for event in events
        if event["type"].startswith("proposal_") or event["type"] == "game_aborted"
    ]


def offered(game, seat):
    """Return the actions of a seat that concern a proposal, with their bodies."""
    kinds = ("propose_abort", "answer_proposal")
    return [(each["type"], each["body"]) for each in game.agreements(seat) if each["type"] in kinds]


def keys_game(service, number=2, **more):
    """Return a game whose seats are bound to player keys, the first to that of the host."""
    keys = [new_key() for _ in range(number)]
    body = {"players": [{"name": "Ann"}], "seat_count": number, "auto_start": True, **more}
    game = service.begin(keys[0], **body)
    for name, key in zip(NAMES[1:number], keys[1:], strict=True):
        joined = service.call("POST", game.path("players"), {"name": name}, key)
        assert joined.status_code == 201, joined.text
    game.tokens = keys
    return game


def test_game_is_aborted_when_all_others_have_accepted(game):
    proposed = propose(game)
    assert proposed.status_code == 200, proposed.text
    view = proposed.json
    assert (view["status"], view["abort_reason"]) == ("playing", None)
    assert view["proposal"] == {
        "kind": "abort",
        "seat": 0,
        "agreed": [],
        "expires_at": view["proposal"]["expires_at"],
    }
    assert answer(game, 2, accept=True).json["proposal"]["agreed"] == [2]
    assert game.offer(1, 1, 1).status_code == 200  # play goes on
    over = answer(game, 1, accept=True).json
    assert (over["status"], over["abort_reason"]) == ("aborted", "agreed")
    assert (over["proposal"], over["result"], over["waiting_for"]) == (None, None, [])
    assert proposals(game) == [
        ("proposal_made", "abort", 0),
        ("proposal_answered", "abort", 2, True),
        ("proposal_answered", "abort", 1, True),
        ("proposal_ended", "abort", "accepted"),
        ("game_aborted", "agreed"),
    ]


def test_refused_proposal_can_be_made_again_in_the_next_round(game):
    propose(game)
    assert answer(game, 1, accept=False).json["proposal"] is None
    assert proposals(game)[-1] == ("proposal_ended", "abort", "refused")
    assert problem_code(propose(game)) == "already_proposed"
    assert propose(game, 1).status_code == 200
    assert problem_code(propose(game, 2)) == "proposal_open"
    answer(game, 1, accept=False)
    assert proposals(game)[-1] == ("proposal_ended", "abort", "withdrawn")
    assert problem_code(answer(game, 2, accept=True)) == "no_open_proposal"
    game.play_to("pricing", 2)
    assert propose(game).status_code == 200


DAY_S = 86_400


def test_refused_proposal_can_be_made_again_a_day_later(game):
    for _ in range(2):
        assert propose(game).status_code == 200
        answer(game, 1, accept=False)
        game.service.clock.advance(DAY_S - 1)
        assert problem_code(propose(game)) == "already_proposed"
        assert offered(game, 0) == []
        game.service.clock.advance(1)
        assert offered(game, 0) == [("propose_abort", None)]


def test_actions_that_time_has_added_have_another_entity_tag(game):
    propose(game)
    answer(game, 1, accept=False)
    tag = game.call("GET", "actions", seat=0).headers["ETag"]
    game.service.clock.advance(DAY_S - 1)
    known = {"If-None-Match": tag}
    assert game.call("GET", "actions", seat=0, headers=known).status_code == 304
    game.service.clock.advance(1)
    assert game.call("GET", "actions", seat=0, headers=known).json["agreements"] != []
    assert game.offer(0, 1, 1, headers={"If-Match": tag}).status_code == 200


@pytest.mark.parametrize("seat", [0, HOST])
def test_repetitions_of_a_proposal_are_bounded(game, monkeypatch, seat):
    limit, most = ("MAX_REVISIONS", 6) if seat == 0 else ("MAX_CHANGES", game.view()["version"] + 5)
    monkeypatch.setattr(f"skye_server.games.transitions.{limit}", most)
    proposed = []
    for _ in range(4):
        proposed.append(propose(game, seat))
        answer(game, 1, accept=False)
        game.service.clock.advance(DAY_S)
    assert [each.status_code for each in proposed] == [200, 200, 200, 409]
    assert problem_code(proposed[-1]) == "too_many_changes"
    assert offered(game, 0) == ([] if seat == 0 else [("propose_abort", None)])
    game.play_to("pricing", 2)
    assert propose(game).status_code == 200


def test_refusal_tells_a_host_without_a_seat_no_round_of_a_hidden_game(service):
    game = service.create_game(2, options={"public_from": "end"})
    assert propose(game, seat=HOST).status_code == 200
    answer(game, 1, accept=False)
    while (view := game.view(0))["round"] == 1:
        game.act_legally(view["waiting_for"][0])
    assert problem_code(propose(game, seat=HOST)) == "already_proposed"
    service.clock.advance(DAY_S)
    assert propose(game, seat=HOST).status_code == 200


def test_actions_offer_to_propose_and_to_answer(game):
    assert offered(game, 0) == [("propose_abort", None)]
    propose(game)
    assert offered(game, 0) == [("answer_proposal", {"accept": False})]
    assert offered(game, 1) == [("answer_proposal", {"accept": True}), ("answer_proposal", {"accept": False})]
    accept = next(action for action in game.agreements(1) if action["type"] == "answer_proposal")
    assert game.send(1, accept).json["proposal"]["agreed"] == [1]
    assert game.send(1, accept).json["proposal"]["agreed"] == [1]  # again: no change
    assert offered(game, 1) == [("answer_proposal", {"accept": False})]
    assert all(action["revises"] for action in game.agreements(1) if action["type"] == "answer_proposal")
    answer(game, 1, accept=False)
    assert offered(game, 0) == []
    assert offered(game, 1) == [("propose_abort", None)]


def test_proposal_expires_without_a_request(service):
    game = service.create_game(2, options={"turn_ms": 300_000})
    game.play_to("buying")
    expires = propose(game).json["proposal"]["expires_at"]
    assert expires.endswith("10:00.000Z")  # ten minutes, although a decision has five
    service.clock.advance(5 * MINUTE_S)
    assert game.view()["proposal"]["expires_at"] == expires
    service.clock.advance(5 * MINUTE_S)
    assert game.view()["proposal"] is None
    assert proposals(game)[-1] == ("proposal_ended", "abort", "expired")
    assert game.view()["status"] == "playing"


def test_proposal_that_is_open_at_the_end_expires(service):
    game = service.create_game(2)
    game.play_to("building", 6)
    propose(game)
    over = game.play_out(dice(1))
    assert (over["status"], over["proposal"]) == ("finished", None)
    assert proposals(game)[-1] == ("proposal_ended", "abort", "expired")


def test_seat_that_is_given_up_needs_no_agreement(game):
    propose(game)
    game.call("POST", "resign", seat=1)
    assert game.view()["status"] == "playing"
    answer(game, 2, accept=True)
    assert game.view()["abort_reason"] == "agreed"


@pytest.mark.parametrize("seats", [(0,), (1, 2)])
def test_proposal_is_withdrawn_when_its_player_or_all_others_resign(game, seats):
    propose(game)
    for seat in seats:
        assert game.call("POST", "resign", seat=seat).status_code == 200
    assert ("proposal_ended", "abort", "withdrawn") in proposals(game)
    assert game.view()["status"] == "playing"


def test_player_who_can_take_the_seat_back_has_not_agreed(service):
    game = service.create_game(3, options={"turn_ms": 1_000, "on_timeout": "bot"})
    game.offer(0, 1, 1)
    propose(game)
    service.clock.advance(1)
    assert game.view()["proposal"]["agreed"] == []
    assert problem_code(answer(game, 1, accept=True)) == "seat_played_by_bot"
    for seat in (1, 2):
        assert game.call("POST", "return", seat=seat).status_code == 200
        assert game.view()["status"] == "playing"
        answer(game, seat, accept=True)
    assert game.view()["abort_reason"] == "agreed"


def test_host_who_has_resigned_aborts_no_game_that_another_plays(service):
    game = keys_game(service, 2)
    game.call("POST", "resign", seat=0)
    proposed = game.call("POST", "abort", token=game.host)
    assert (proposed.json["status"], proposed.json["abort_reason"]) == ("playing", None)
    assert answer(game, 1, accept=False).json["status"] == "playing"


@pytest.mark.parametrize("gives_up", ["resign", "out_of_time"])
@pytest.mark.parametrize("has_key", [True, False])
def test_host_who_has_given_up_does_not_end_the_game_of_a_guest_with_a_passed_on_token(
    service, has_key, gives_up
):
    options = {"budget_ms": 1000 * MINUTE_S}
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": options}
    key = new_key() if has_key else None
    game = service.begin(key, **body)
    game.offer(1, 1, 1)
    if gives_up == "resign":
        game.call("POST", "resign", seat=0, token=key if has_key else game.tokens[0])
    else:
        service.clock.advance(MINUTE_S)
    game.call("POST", "abort", token=key or game.host)
    assert game.view()["status"] == "playing"


def test_host_who_plays_needs_the_agreement_of_the_others(service):
    game = keys_game(service, 3)
    assert propose(game).json["proposal"]["seat"] == 0
    game.call("POST", "resign", seat=0)
    assert game.view()["proposal"] is None
    again = game.call("POST", "abort", token=game.host)
    assert (again.json["status"], again.json["proposal"]["seat"]) == ("playing", None)
    answer(game, 1, accept=True)
    assert answer(game, 2, accept=True).json["abort_reason"] == "agreed"


def test_host_token_proposes_to_all_people(game):
    view = game.call("POST", "abort", token=game.host).json
    assert (view["proposal"]["seat"], view["status"]) == (None, "playing")
    for seat in range(3):
        answer(game, seat, accept=True)
    assert game.view()["status"] == "aborted"


def seated_later(service, options):
    """Let a creator without a key sit down by a second request, as any stranger may."""
    game = service.begin(None, seat_count=2, auto_start=True, options=options)
    joined = [service.call("POST", game.path("players"), {"name": name}) for name in ("Ann", "Bob")]
    game.tokens = [answer.json["token"] for answer in joined]
    return game


def host_who_resigned(service, options):
    game = keys_game(service, options=options)
    game.call("POST", "resign", seat=0)
    return game


def host_of_two_seats(service, options):
    """Let a host who has received the tokens of both seats give one of them up."""
    game = service.create_game(2, options=options)
    game.call("POST", "resign", seat=1)
    return game


def host_without_a_seat(service, options):
    invited = [{"invite": True}, {"invite": True}]
    game = service.begin(new_key(), players=invited, auto_start=True, options=options)
    codes = [each["code"] for each in game.created["invitations"]]
    joined = [game.call("POST", "players", {"name": code[-5:]}, token=code).json for code in codes]
    game.tokens = [seat["token"] for seat in joined]
    return game


@pytest.mark.parametrize(
    "begin", [keys_game, seated_later, host_who_resigned, host_of_two_seats, host_without_a_seat]
)
def test_host_of_a_game_of_two_persons_has_no_right_that_others_lack(service, begin):
    game = begin(service, options={})
    asked = game.call("POST", "abort", token=game.host)
    assert asked.status_code == 200
    assert (asked.json["status"], asked.json["abort_reason"]) == ("playing", None)
    game.play_out(dice(1))
    assert game.call("DELETE", token=game.host).status_code == 204
    assert game.view()["status"] == "finished"


@pytest.mark.parametrize(
    "begin", [keys_game, seated_later, host_who_resigned, host_of_two_seats, host_without_a_seat]
)
def test_host_may_abort_a_game_with_this_option_alone(service, begin):
    game = begin(service, options={"host_may_abort": True})
    assert game.view()["options"]["host_may_abort"] is True
    assert game.call("POST", "abort", token=game.host).json["abort_reason"] == "host_aborted"
    assert proposals(game) == [("game_aborted", "host_aborted")]
    assert game.call("DELETE", token=game.host).status_code == 204
    assert game.view()["status"] == "aborted"


def test_player_of_a_game_whose_host_may_abort_only_proposes(service):
    game = service.create_game(2, options={"host_may_abort": True})
    assert propose(game).json["status"] == "playing"


def test_host_of_one_invited_person_aborts_alone(service):
    players = [{"bot": "random"}, {"invite": True}]
    game = service.begin(new_key(), players=players, auto_start=True)
    code = game.created["invitations"][0]["code"]
    assert game.call("POST", "players", {"name": "Bob"}, token=code).status_code == 201
    assert game.call("POST", "abort", token=game.host).json["abort_reason"] == "alone"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}, "alone"),
        ({"players": [{"name": "Ann"}, {"name": "Bob"}]}, "lobby"),
        ({"scenario": "first_round"}, "laboratory"),
        (
            {
                "players": [{"name": "Ann"}, {"name": "Bob"}],
                "auto_start": True,
                "options": {"clock": "manual", "turn_ms": 1000},
            },
            "laboratory",
        ),
    ],
)
def test_host_aborts_alone_where_nobody_else_decides(service, body, reason):
    created = service.call("POST", "/v1/games", body)
    assert created.status_code == 201, created.text
    game = Game(service, created.json)
    refused = game.call("POST", "abort", token=game.tokens[0])
    assert problem_code(refused) == "host_only"
    assert offered(game, 0) == []
    assert game.call("POST", "abort", token=game.host).json["abort_reason"] == reason


def test_spectators_and_strangers_can_neither_propose_nor_answer(game):
    assert problem_code(game.call("POST", "abort")) == "token_required"
    assert problem_code(game.call("POST", "abort", token=new_key())) == "host_only"
    propose(game)
    assert problem_code(game.call("POST", "players/1/proposal", {"accept": True})) == "token_required"
    other = game.call("POST", "players/1/proposal", {"accept": True}, token=game.tokens[2])
    assert problem_code(other) == "not_your_seat"
    assert problem_code(answer(game, 1, accept="yes")) == "invalid_body"


def test_repeated_request_proposes_once(game):
    first, second = (game.call("POST", "abort", token=game.tokens[0], headers=KEY).json for _ in range(2))
    assert first["proposal"] == second["proposal"]
    assert first["version"] == second["version"]


def test_past_events_show_the_proposal_of_their_time(game):
    propose(game)
    answer(game, 2, accept=True)
    now = game.view(0)
    game.play_to("pricing", 2)
    for seat in (1, 2):
        answer(game, seat, accept=True)
    past = game.service.get(game.path() + f"?at_event={now['last_event']}", game.tokens[0])
    assert past | {"now": now["now"]} == now
    over = game.view()
    last = game.service.get(game.path() + f"?at_event={over['last_event']}")
    assert last | {"now": over["now"]} == over


# Absent players.

DAY_S = 86_400


def absent_since_round_1(service, players=2):
    """Return a game with three days for each decision, in round 3, that seat 1 has never played."""
    game = service.create_game(players, options={"turn_ms": 3 * DAY_S * 1000, "first_seat": 0})
    while (view := game.view())["round"] < 3:
        acting = [seat for seat in view["waiting_for"] if seat != 1]
        if acting:
            game.act_legally(acting[0])
        else:
            game.pass_deadline()
    return game


def left_until_absent_s(game):
    return game.seconds_to(game.view()["players"][1]["takeover"]["counts_as_absent_at"])


def test_only_player_left_aborts_alone_after_a_day_and_a_round(service):
    game = absent_since_round_1(service)
    service.clock.advance(left_until_absent_s(game) - 1)
    view = game.call("POST", "abort", token=game.tokens[0]).json
    assert (view["status"], view["proposal"]["kind"]) == ("playing", "abort")
    game.call("POST", "proposal", {"accept": False}, seat=0)
    service.clock.advance(1)
    assert ("propose_abort", None) in offered(game, 0)
    view = game.call("POST", "abort", token=game.tokens[0]).json
    assert (view["status"], view["abort_reason"]) == ("aborted", "others_absent")
    events = service.get(game.path("events?limit=1000"))["events"]
    assert [event["absent"] for event in events if event["type"] == "game_aborted"] == [[1]]


@pytest.mark.parametrize(("players", "reason"), [(2, "others_absent"), (3, "agreed")])
def test_open_proposal_ends_the_game_when_the_absent_count_as_absent(service, players, reason):
    game = absent_since_round_1(service, players)
    assert game.call("POST", "abort", token=game.tokens[0]).json["status"] == "playing"
    if players == 3:
        assert answer(game, 2, accept=True).json["status"] == "playing"
    before_s = left_until_absent_s(game)
    service.clock.advance(before_s - 1)
    assert game.view()["status"] == "playing"
    service.clock.advance(1)
    view = game.view()
    assert (view["status"], view["abort_reason"], view["proposal"]) == ("aborted", reason, None)


def test_day_of_an_absent_player_does_not_pass_in_a_pause(service):
    game = absent_since_round_1(service)
    assert game.call("POST", "abort", token=game.tokens[0]).json["status"] == "playing"
    assert game.call("POST", "pause", token=game.tokens[0]).json["pause"] is not None
    service.clock.advance(left_until_absent_s(game))
    assert game.view()["status"] == "playing"
    game.call("POST", "resume", token=game.tokens[0])
    service.clock.advance(left_until_absent_s(game) - 1)
    assert game.view()["status"] == "playing"
    service.clock.advance(1)
    assert game.view()["status"] == "aborted"


def test_nobody_ends_a_game_because_a_line_has_just_dropped(service):
    game = service.create_game(2, options={"turn_ms": 60_000, "first_seat": 0})
    game.offer(0, 1, 1)
    service.clock.advance(60)
    assert game.view()["players"][1]["takeover"] is not None
    view = game.call("POST", "abort", token=game.tokens[0]).json
    assert (view["status"], view["proposal"]["kind"]) == ("playing", "abort")


def test_people_who_are_present_end_a_game_without_the_absent(service):
    game = absent_since_round_1(service, 3)
    service.clock.advance(DAY_S)
    assert game.call("POST", "abort", token=game.tokens[0]).json["status"] == "playing"
    view = answer(game, 2, accept=True).json
    assert (view["status"], view["abort_reason"]) == ("aborted", "agreed")


def test_absent_player_need_not_agree_to_a_pause(service):
    game = service.create_game(3, options={"turn_ms": 60_000, "first_seat": 0})
    game.offer(0, 1, 1)
    game.offer(2, 1, 1)
    service.clock.advance(60)
    assert game.view()["players"][1]["takeover"] is not None
    assert game.call("POST", "pause", token=game.tokens[0]).json["pause"] is None
    assert answer(game, 2, accept=True).json["pause"] is not None
