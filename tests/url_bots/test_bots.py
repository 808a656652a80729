"""Bots at URLs: given, bound and released; their decisions, and what happens without one."""

import contextlib
import json
import random
from threading import Barrier

import pytest
from standardwebhooks import Webhook

from skye_server.dispatch.dispatcher import Dispatcher
from skye_server.games.authorization import hash_player_key
from skye_server.http.framework import collaborators
from skye_server.outgoing.account_slots import AccountSlots
from skye_server.outgoing.challenges import CHALLENGE_SECONDS, Challenges
from skye_server.outgoing.sender import Sender
from skye_server.outgoing.targets import TargetPolicy
from skye_server.url_bots.bots import stored_bot
from skye_server.url_bots.dispatching import BotDispatch
from tests.support.dispatching import dispatch, handlers_of, put_back, saved
from tests.support.endpoints import PLAYER_KEY
from tests.support.local_services import local_service
from tests.support.playing import PAIR
from tests.support.receiver import AnsweringSender, Receiver, respond
from tests.support.waiting import MAX_WAIT_S


def choose(message):
    """Return an action as a bot that chooses at random."""
    return random.choice(message["data"]["actions"])


def plays(received, handler):
    """Answer a decision with a legal action."""
    respond(handler, 200, json.dumps(choose(received.message)).encode())


@pytest.fixture
def bot():
    with Receiver(plays) as receiver:
        yield receiver


def against(service, bot, token=None, **more):
    """Create a game of a person against a bot at a URL."""
    body = {"players": [{"name": "Ann"}, {"bot_url": bot.url}], "auto_start": True, **more}
    return service.begin(token, **body)


def requests_to(game, seat=1):
    """Return the deliveries to the bot of a seat, the latest first."""
    return game.service.get(game.path("bot/deliveries", seat), game.host)["deliveries"]


@pytest.mark.usefixtures("stopped_clock")
def test_game_against_a_bot_at_a_url_is_played_to_its_end(service, bot):
    game = against(service, bot)
    path, token = game.path(), game.tokens[0]
    assert [player["bot"] for player in game.created["game"]["players"]] == [None, "url"]
    secret = game.created["players"][1]["secret"]
    assert game.created["players"] == [
        {"seat": 0, "token": token, "secret": None},
        {"seat": 1, "token": None, "secret": secret},
    ]
    while (view := game.view())["status"] == "playing":
        dispatch(service)
        if 0 in view["waiting_for"]:
            actions = service.get(f"{path}/players/0/actions", token)["actions"]
            action = random.choice([each for each in actions if each["type"] != "take_back"])
            assert service.call(action["method"], action["href"], action["body"], token).status_code == 200
    for each in bot.received:
        assert Webhook(secret).verify(each.body, each.headers) == each.message
    found = requests_to(game)
    assert {each["status"] for each in found} == {"delivered"}
    assert [each["id"] for each in found] == [each.id for each in reversed(bot.events)][:100]
    assert view["status"] == "finished"


def garbage(handler):
    respond(handler, 200, b"\xff{")


def too_long(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(10_000):
        handler.wfile.write(bytes(1000))


def of_another_seat(handler, message):
    action = choose(message)
    respond(handler, 200, json.dumps(action | {"href": action["href"].replace("/1/", "/0/")}).encode())


WRONG = {
    "garbage": lambda handler, _: garbage(handler),
    "nothing": lambda handler, _: respond(handler, 204),
    "array": lambda handler, _: respond(handler, 200, b"[1]"),
    "deep": lambda handler, _: respond(handler, 200, b"[" * 60_000),
    "ten megabytes": lambda handler, _: too_long(handler),
    "redirect": lambda handler, _: respond(handler, 307, Location="/elsewhere"),
    "error": lambda handler, _: respond(handler, 500),
    "gone": lambda handler, _: respond(handler, 410),
    "another seat": of_another_seat,
    "another type": lambda handler, _: respond(handler, 200, b'{"type":"take_back","body":null}'),
    "no offer": lambda handler, _: respond(handler, 200, b'{"type":"set_offer","body":{"discard":7}}'),
    "price of a boolean": lambda handler, message: respond(
        handler,
        200,
        json.dumps(choose(message) | {"body": {"discard": "L01", "prices": {"L02": True}}}).encode(),
    ),
    "illegal offer": lambda handler, _: respond(
        handler, 200, b'{"type":"set_offer","body":{"discard":"L01","prices":{"L02":1,"L03":1}}}'
    ),
}


@pytest.mark.parametrize("answer", WRONG)
def test_wrong_answer_is_repeated_once_and_then_decided_for_the_seat(service, bot, answer):
    game = against(service, bot)
    path = game.path()
    bot.answer = lambda received, handler: WRONG[answer](handler, received.message)
    dispatch(service)
    assert len(bot.events) == 1
    (delivery,) = requests_to(game)
    assert (delivery["status"], delivery["attempts"]) == ("pending", 1)
    assert delivery["problem"]
    service.clock.advance(4)
    dispatch(service)
    assert len(bot.events) == 1
    service.clock.advance(3)
    dispatch(service)
    assert [each.id for each in bot.events] == 2 * [delivery["id"]]
    assert game.view()["waiting_for"] == [0]
    events = service.get(f"{path}/events?limit=100")["events"]
    assert [event["seat"] for event in events if event["type"] == "timed_out"] == [1]
    (delivery,) = requests_to(game)
    assert (delivery["status"], delivery["attempts"]) == ("failed", 2)


def test_problem_of_an_offer_beyond_the_purse_has_no_amount(service, bot):
    game = against(service, bot)

    def offer_too_much(received, handler):
        action = choose(received.message)
        discard, *priced = action["constraints"]["tiles"]
        body = {"discard": discard, "prices": dict.fromkeys(priced, 22)}
        respond(handler, 200, json.dumps(action | {"body": body}).encode())

    bot.answer = offer_too_much
    dispatch(service)
    (delivery,) = requests_to(game)
    assert delivery["problem"] == "The action is illegal: not_enough_gold."


def test_dead_bot_that_nobody_holds_is_not_taken_over(service, bot):
    game = against(service, bot, options={"first_seat": 0})
    bot.answer = lambda _, handler: respond(handler, 500)
    for _ in range(3):
        dispatch(service)
        service.clock.advance(7)
        dispatch(service)
        game.play_until(lambda view: 0 not in view["waiting_for"])
    view = game.view()
    assert (view["players"][1]["bot"], view["players"][1]["end"]["type"]) == ("url", "played")
    assert view["players"][1]["end"]["missed_deadlines"] > 2


def test_answer_after_the_deadline_is_not_played(service, bot):
    game = against(service, bot, options={"turn_ms": 5_000})

    def late(received, handler):
        assert received.message["data"]["time_left_ms"] <= 5_000
        service.clock.advance(6)
        plays(received, handler)

    bot.answer = late
    dispatch_once(service)
    (delivery, *_) = requests_to(game)[::-1]
    assert (delivery["status"], delivery["problem"]) == (
        "failed",
        "The answer came when the decision was made already.",
    )


def test_manual_clock_drives_the_repetition(service, bot):
    game = against(service, bot, options={"clock": "manual", "turn_ms": 60_000})
    path, host = game.path(), game.host
    bot.answer = lambda _, handler: respond(handler, 500)
    for advance_ms, asked in ((None, 1), (3_000, 1), (4_000, 2)):
        service.clock.advance(100)
        if advance_ms is not None:
            service.call("POST", f"{path}/clock", {"advance_ms": advance_ms}, host)
        dispatch(service)
        assert len(bot.events) == asked
    assert game.view()["waiting_for"] == [0]


def test_request_names_how_long_the_last_one_took(service, bot):
    game = against(service, bot, options={"first_seat": 1})
    game.play_until(lambda view: 0 not in view["waiting_for"])
    bot.answer = lambda _, handler: respond(handler, 500)
    dispatch(service)
    first_ms = requests_to(game)[-1]["duration_ms"]
    bot.answer = plays
    service.clock.advance(7)
    dispatch(service)
    second_ms = requests_to(game)[-1]["duration_ms"]
    asked = [each.message["data"]["last_response_ms"] for each in bot.events]
    assert asked[:3] == [None, first_ms, second_ms]


def test_seat_without_a_dispatcher_waits_like_a_person(service, bot):
    game = against(service, bot)
    assert not bot.events
    assert 1 in game.view()["waiting_for"]


def test_request_has_the_view_of_the_seat_and_no_token(service, bot):
    game = against(service, bot, visibility="private")
    dispatch(service)
    (asked,) = bot.events
    data = asked.message["data"]
    others = [
        drawn
        for player in data["game"]["players"]
        if player["seat"] == 0
        for drawn in player["tiles_on_offer"]
    ]
    assert others
    assert all(drawn["price"] is None for drawn in others)
    assert (data["seat"], data["time_left_ms"], data["game"]["you"]["seat"]) == (1, 10_000, 1)
    assert asked.message["href"] == game.path()
    for token in (game.host, game.tokens[0], game.created["players"][1]["secret"]):
        assert token.encode() not in asked.body
    assert bot.url not in json.dumps([requests_to(game), game.created])


@pytest.mark.parametrize("bound_to_key", [False, True])
def test_holder_binds_and_releases_a_bot(service, bot, bound_to_key):
    key = PLAYER_KEY if bound_to_key else None
    game = service.begin(key, **PAIR)
    path, token = game.path(), game.tokens[0]
    bound = service.call("PUT", f"{path}/players/me/bot", {"bot_url": bot.url}, token)
    assert (bound.status_code, bound.json["seat"], bound.json["token"]) == (200, 0, None)
    assert bound.json["game"]["players"][0]["bot"] == "url"
    by_hand = service.call("PUT", f"{path}/players/0/offer", {"discard": "L01", "prices": {}}, token)
    assert by_hand.status_code in (409, 422)
    dispatch(service)
    assert game.view()["waiting_for"] == [1]
    (delivery,) = service.get(f"{path}/players/0/bot/deliveries", token)["deliveries"]
    assert delivery["status"] == "delivered"
    released = service.call("DELETE", f"{path}/players/me/bot", token=token)
    assert released.json["players"][0]["bot"] is None
    assert service.redis.keys("skye:*:bot.*") == []
    assert service.get(f"{path}/players/0/bot/deliveries", token)["deliveries"] == []
    changes = [
        each["bot"] for each in service.get(f"{path}/events")["events"] if each["type"] == "bot_changed"
    ]
    assert changes == ["url", None]
    past = service.get(f"{path}?at_event={bound.json['game']['last_event']}")
    assert past["players"][0]["bot"] == "url"


def test_bot_whose_seat_was_taken_over_takes_it_back_by_an_answer(service, bot):
    options = {"turn_ms": 60_000, "clock": "manual", "first_seat": 0}
    game = service.begin(None, **PAIR | {"options": options})
    path, token = game.path(), game.tokens[0]
    assert service.call("PUT", f"{path}/players/0/bot", {"bot_url": bot.url}, token).status_code == 200
    service.call("POST", f"{path}/clock", {"advance_ms": 60_000}, game.host)
    taken = game.view()["players"][0]
    assert (taken["bot"], taken["takeover"] is not None) == ("greedy", True)
    dispatch(service)
    back = game.view()["players"][0]
    assert (back["bot"], back["takeover"], back["end"]["type"]) == ("url", None, "played")
    types = [each["type"] for each in service.get(f"{path}/events?limit=1000")["events"]]
    at = types.index("seat_returned")
    assert {"tile_bought", "purchase_passed"} & {*types[at:]}


def test_seat_without_revisions_releases_its_bot(service, bot, monkeypatch):
    monkeypatch.setattr("skye_server.games.transitions.MAX_REVISIONS", 2)
    game = service.begin(None, **PAIR)
    path, token = f"{game.path()}/players/me/bot", game.tokens[0]
    assert service.call("PUT", path, {"bot_url": bot.url}, token).status_code == 200
    again = service.call("PUT", path, {"bot_url": bot.url}, token)
    assert again.json["code"] == "too_many_changes"
    assert service.call("DELETE", path, token=token).json["players"][0]["bot"] is None


def test_late_retry_keeps_the_bot_that_plays_the_seat_now(service, bot):
    game = service.begin(None, **PAIR, options={"on_timeout": "bot", "first_seat": 0})
    path, token = f"{game.path()}/players/me/bot", game.tokens[0]

    def bind(key):
        return service.call("PUT", path, {"bot_url": bot.url}, token, {"Idempotency-Key": key})

    def release(key):
        return service.call("DELETE", path, token=token, headers={"Idempotency-Key": key})

    requests = (bind, "a"), (bind, "b"), (bind, "a"), (release, "c"), (bind, "d"), (release, "c")
    stored = []
    for change, key in requests:
        assert change(key).status_code == 200
        stored.append(len(service.redis.keys("skye:*:bot.*:webhooks")))
    assert stored == [1, 1, 1, 0, 1, 1]
    dispatch(service)
    assert game.view()["waiting_for"] == [1]
    assert game.view()["players"][0]["bot"] == "url"
    bot.answer = lambda _, handler: respond(handler, 500)
    game.offer(1, 1, 1)
    for failed in range(2):
        dispatch(service)
        service.clock.advance(7)
        dispatch(service)
        assert game.view()["players"][0]["bot"] == ("greedy" if failed else "url")
        while 1 in game.view()["waiting_for"]:
            game.act_legally(1)
    assert bind("d").status_code == 200
    assert service.get(f"{path}/deliveries", token)["deliveries"], "they show why the bot was replaced"


def before_the_challenge(monkeypatch, act):
    """Let something happen once, before the next challenge is sent."""
    challenged = Challenges.send

    def race(*arguments):
        monkeypatch.undo()
        act()
        return challenged(*arguments)

    monkeypatch.setattr(Challenges, "send", race)


def test_bots_that_are_bound_at_once_are_deleted_but_for_the_last(service, bot, monkeypatch):
    game = service.begin(None, **PAIR)
    path = f"{game.path()}/players/me/bot"

    def bind():
        assert service.beside().call("PUT", path, {"bot_url": bot.url}, game.tokens[0]).status_code == 200

    before_the_challenge(monkeypatch, bind)
    bind()
    assert len(service.redis.keys("skye:*:bot.*:webhooks")) == 1


def test_late_retry_of_a_release_deletes_the_bot(service, bot, monkeypatch):
    game = service.begin(None, **PAIR)
    path, token, key = f"{game.path()}/players/0/bot", game.tokens[0], {"Idempotency-Key": "k1"}
    assert service.call("PUT", path, {"bot_url": bot.url}, token).status_code == 200
    with monkeypatch.context() as crash:
        crash.setattr("skye_server.url_bots.routes.delete_bots", lambda *_: None)
        service.call("DELETE", path, token=token, headers=key)
    assert len(service.redis.keys("skye:*:bot.*:webhooks")) == 1
    assert game.offer(1, 1, 1).status_code == 200
    assert service.call("DELETE", path, token=token, headers=key).status_code == 200
    assert service.redis.keys("skye:*:bot.*:webhooks") == []


def test_requests_with_one_key_at_once_get_the_same_secret(service, bot, monkeypatch):
    game = service.begin(None, **PAIR)
    path, token, key = f"{game.path()}/players/me/bot", game.tokens[0], {"Idempotency-Key": "k1"}
    secrets = []

    def bind():
        bound = service.beside().call("PUT", path, {"bot_url": bot.url}, token, key)
        secrets.append(bound.json["secret"])

    before_the_challenge(monkeypatch, bind)
    bind()
    assert secrets[0] == secrets[1]


def test_only_the_holder_has_a_bot_and_the_host_that_of_a_bot(service, bot):
    game = against(service, bot, players=[{"name": "Ann"}, {"name": "Bob"}, {"bot_url": bot.url}])
    path, tokens = game.path("players"), game.tokens
    asked = len(bot.received)
    for seat, token in ((0, tokens[1]), (0, game.host), (2, tokens[0]), (0, None)):
        refused = service.call("PUT", f"{path}/{seat}/bot", {"bot_url": bot.url}, token)
        assert refused.status_code in (401, 403), refused.text
        assert service.call("DELETE", f"{path}/{seat}/bot", token=token).status_code in (401, 403)
    assert len(bot.received) == asked, "nothing is sent for a caller without the right"
    for token in (tokens[1], game.host):
        assert service.call("GET", f"{path}/0/bot/deliveries", token=token).status_code == 403
    released = service.call("DELETE", f"{path}/2/bot", token=game.host)
    assert released.json["players"][2]["bot"] == "greedy"


def test_host_does_not_see_what_was_sent_to_the_bot_of_a_player_who_resigned(service, bot):
    game = service.create_game(3)
    path = game.path("players/1/bot")
    assert service.call("PUT", path, {"bot_url": bot.url}, game.tokens[1]).status_code == 200
    assert service.call("GET", f"{path}/deliveries", token=game.tokens[1]).status_code == 200
    assert game.call("POST", "resign", seat=1).status_code == 200
    assert service.call("GET", f"{path}/deliveries", token=game.host).status_code == 403


def test_url_that_does_not_repeat_the_challenge_gets_no_seat(service, bot):
    bot.answers_challenges = False
    body = {"players": [{"name": "Ann"}, {"bot_url": bot.url}]}
    refused = service.call("POST", "/v1/games", body)
    assert (refused.status_code, refused.json["code"]) == (422, "bot_unreachable")
    assert refused.json["errors"][0]["pointer"] == "/players/1/bot_url"
    assert service.get("/v1/games")["games"] == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "localhost", "[::ffff:127.0.0.1]", "169.254.169.254"]
)
def test_url_of_a_forbidden_address_is_refused_everywhere(host):
    with local_service(webhooks_private=False) as service, Receiver(plays) as receiver:
        game = service.create_game(2, start=False)
        url = f"http://{host}:{receiver.port}/"
        player = {"bot_url": url}
        key = {"Idempotency-Key": "k" * 22}
        for method, path, body, token, headers, pointer in (
            ("POST", "/v1/games", {"players": [player]}, None, {}, "/players/0/bot_url"),
            (
                "POST",
                "/v1/batches",
                {"games": [{"players": [player]}]},
                None,
                key,
                "/games/0/players/0/bot_url",
            ),
            ("POST", game.path("players"), player, game.host, {}, "/bot_url"),
            ("POST", "/v1/me/webhooks", {"url": url}, PLAYER_KEY, {}, "/url"),
            ("PUT", game.path("players/0/bot"), player, game.tokens[0], {}, "/bot_url"),
        ):
            refused = service.call(method, path, body, token, headers)
            assert (refused.status_code, refused.json["code"]) == (422, "invalid_body"), refused.text
            assert refused.json["errors"][0]["pointer"] == pointer
        assert not receiver.received
        assert service.get("/v1/me/webhooks", PLAYER_KEY)["webhooks"] == []


def test_repeated_creation_returns_the_same_secret_after_one_challenge(service, bot):
    body, key = {"players": [{"name": "Ann"}, {"bot_url": bot.url}]}, {"Idempotency-Key": "k" * 22}
    first, again = (service.call("POST", "/v1/games", body, headers=key) for _ in range(2))
    assert first.json["players"] == again.json["players"]
    assert len(bot.received) == 1


def test_urls_of_one_request_are_challenged_at_once(service, monkeypatch):
    together, seconds = Barrier(3), []

    class WaitingSender(AnsweringSender):
        def post(self, *request):
            seconds.append(request[-1])
            together.wait(MAX_WAIT_S)
            return super().post(*request)

    monkeypatch.setattr(collaborators(service.app).challenges, "sender", WaitingSender())
    players = [{"name": "Ann"}, *({"bot_url": f"https://bots.example/{number}"} for number in range(3))]
    assert service.call("POST", "/v1/games", {"players": players}).status_code == 201
    assert seconds == 3 * [CHALLENGE_SECONDS]


def test_batch_challenges_a_url_once(service, bot):
    games = [{"players": [{"bot_url": bot.url}, {"bot": "random"}], "auto_start": True} for _ in range(2)]
    created = service.call("POST", "/v1/batches", {"games": games}, headers={"Idempotency-Key": "k" * 22})
    secrets = {game["players"][0]["secret"] for game in created.json["games"]}
    assert (len(bot.received), len(secrets)) == (1, 2)
    dispatch(service)
    records = [service.get(f"/v1/games/{game['game_id']}") for game in created.json["games"]]
    assert {view["status"] for view in records} == {"finished"}


def test_rematch_has_the_bot_again_and_deletion_ends_it(service, bot):
    game = against(service, bot)
    path, host, token = game.path(), game.host, game.tokens[0]
    dispatch(service)
    asked = len(bot.events)
    assert service.call("POST", f"{path}/abort", token=host).status_code == 200
    again = service.call("POST", f"{path}/rematch", token=token)
    assert again.json["game"]["status"] == "playing"
    assert service.call("DELETE", path, token=host).status_code == 204
    dispatch(service)
    assert len(bot.events) == asked + 1
    Webhook(game.created["players"][1]["secret"]).verify(bot.events[-1].body, bot.events[-1].headers)
    record = service.get(f"/v1/games/{again.json['game']['id']}/record")
    assert [player["bot"] for player in record["players"]] == [None, None]
    service.call("POST", f"/v1/games/{again.json['game']['id']}/abort", token=host)
    assert service.call("DELETE", f"/v1/games/{again.json['game']['id']}", token=host).status_code == 204
    assert service.redis.keys("skye:*:bot.*") == []


def test_seat_of_a_bot_keeps_it_when_gaps_of_the_lobby_close(service, bot):
    game = service.create_game(2, start=False)
    seated = game.call("POST", "players", {"bot_url": bot.url, "seat": 4}, token=game.host)
    assert (seated.status_code, seated.json["seat"]) == (201, 4)
    game.call("POST", "start", token=game.host)
    dispatch(service)
    assert service.get(game.path(""))["waiting_for"] == [0, 1]


def test_move_that_was_committed_before_a_crash_is_not_made_twice(service, bot, monkeypatch):
    game = against(service, bot)
    with monkeypatch.context() as patched:
        patched.setattr(BotDispatch, "_record", fail)
        dispatch_once(service)
    version = game.view()["version"]
    service.clock.advance(120)
    dispatch(service)
    assert game.view()["version"] == version
    (delivery,) = requests_to(game)
    assert len(bot.events) == 1
    assert delivery["status"] in ("pending", "delivered")


def test_answers_of_two_dispatchers_make_one_move(service, bot):
    game = against(service, bot)
    first = True

    def race(received, handler):
        nonlocal first
        if first:  # another dispatcher asks meanwhile, as the first one was suspended
            first = False
            games = collaborators(service.app).games
            BotDispatch(games, Sender(TargetPolicy(games.settings)), AccountSlots(9)).attend(entry)
        plays(received, handler)

    url_bot = collaborators(service.app).games.stored.read(game.id).seats[1].url_bot
    entry = f"{game.id}/{url_bot}"
    before = game.view()["version"]
    bot.answer = race
    dispatch(service)
    assert len(bot.events) == 2
    assert game.view()["version"] == before + 1


def test_webhooks_of_an_account_take_no_slots_of_its_bots(service, bot, monkeypatch):
    for feature in ("url_bots", "webhooks"):
        monkeypatch.setattr(f"skye_server.{feature}.feature._SLOTS", 1)
    created = service.call("POST", "/v1/me/webhooks", {"url": bot.url, "types": ["seat_taken"]}, PLAYER_KEY)
    assert created.json["status"] == "active"
    game = against(service, bot, PLAYER_KEY)
    games = collaborators(service.app).games
    url_bot = games.stored.read(game.id).seats[1].url_bot
    handling = handlers_of(service)

    def attend_to_both(received, handler):
        if received.message["type"] != "seat_taken":
            plays(received, handler)
            return
        handling["bot"].handle(f"{game.id}/{url_bot}")
        respond(handler, 204)

    bot.answer = attend_to_both
    Dispatcher(games, {"webhook": handling["webhook"]}).run_due()
    assert [each.message["type"] for each in bot.events] == ["seat_taken", "decision"]


def test_failing_bot_is_not_asked_until_its_circuit_lets_one_request_pass(service, bot):
    game = against(service, bot, options={"on_timeout": "auto"})
    bot.answer = lambda _, handler: respond(handler, 500)
    pass_seconds(service, game, lambda: len(bot.events) == 4)
    pass_seconds(service, game, lambda: requests_to(game)[0]["attempts"] == 0)
    latest = requests_to(game)[0]
    assert (latest["status"], latest["problem"]) == (
        "failed",
        "The bot was not asked: it has failed several times in a row.",
    )
    assert len(bot.events) == 4
    pass_seconds(service, game, lambda: len(bot.events) == 5)
    pass_seconds(service, game, lambda: requests_to(game)[0]["attempts"] == 0)
    bot.answer = plays
    pass_seconds(service, game, lambda: requests_to(game)[0]["status"] == "delivered")


def pass_seconds(service, game, condition):
    """Let decisions be made, those of the person too, and seconds pass until a condition holds."""
    games = collaborators(service.app).games
    entry = f"{game.id}/{games.stored.read(game.id).seats[1].url_bot}"
    for _ in range(40):
        handlers_of(service)["bot"].handle(entry)
        if condition():
            return
        actions = service.get(game.path("actions", 0), game.tokens[0])["actions"]
        action = next((each for each in actions if each["type"] != "take_back"), None)
        if action is not None:
            service.call(action["method"], action["href"], action["body"], game.tokens[0])
        service.clock.advance(3)
    raise AssertionError("the condition never held")


@pytest.mark.parametrize("seconds", [59, 61])
def test_decision_waits_a_minute_for_a_slot_of_the_account(service, bot, seconds):
    game = against(service, bot)
    games = collaborators(service.app).games
    url_bot = games.stored.read(game.id).seats[1].url_bot
    busy = BotDispatch(games, Sender(TargetPolicy(games.settings)), AccountSlots(0, queues=False))
    again_ms = busy.attend(f"{game.id}/{url_bot}")
    assert again_ms > games.now_ms()
    service.clock.advance(seconds)
    busy.attend(f"{game.id}/{url_bot}")
    assert not bot.events
    assert (1 in game.view()["waiting_for"]) == (seconds < 60)


def test_bot_counts_for_the_player_or_the_hidden_address_of_its_creator(service, bot):
    games, url_bots = collaborators(service.app).games, collaborators(service.app).features["url_bots"]
    accounts = []
    for key in (None, PLAYER_KEY):
        game = against(service, bot, key)
        url_bot = games.stored.read(game.id).seats[1].url_bot
        copied = url_bots.copied(url_bot, "anothergame2")
        accounts.append(stored_bot(games.store, url_bot).receiver.account)
        assert stored_bot(games.store, copied).receiver.account == accounts[-1]
    (name, address), (player, shared) = accounts
    assert name == address == shared
    assert len(address) == 6
    assert player == hash_player_key(PLAYER_KEY)


def test_decision_is_played_although_the_store_lost_the_one_before(service, bot):
    game = against(service, bot)
    kept = saved(service, "*}:bot.*")
    dispatch(service)
    service.redis.delete(*service.redis.keys("*}:bot.*"))
    put_back(service, kept)
    while 1 not in game.view()["waiting_for"]:
        game.act_legally(0)
    version = game.view()["version"]
    dispatch_once(service)
    assert len(bot.events) == 2
    assert game.view()["version"] > version


def fail(*_, **_named):
    raise RuntimeError("a crash")


def dispatch_once(service):
    """Attend once to each bot that is due."""
    games = collaborators(service.app).games
    attend = handlers_of(service)["bot"].handle
    for claim in games.store.due.claim(games.now_ms(), {"bot": 9}).claims:
        with contextlib.suppress(RuntimeError):
            attend(claim.id)
