"""Every successful response of played games conforms to openapi.yaml."""

import pytest

from skye_server.http.framework import collaborators
from tests.contract.checked import CheckedService, messages
from tests.support.endpoints import BY_NAME, PLAYER_KEY, game_at, stages
from tests.support.playing import dice, new_key
from tests.support.sizes import sized

ROUND_SEEN = {2: 1, 3: 2, 4: 6, 5: 4}
"""The round of a whole game in each phase of which callers read all that there is, by number of players."""

OF_A_SEAT = ("purchase", "actions", "offer", "placements", "territory")


@pytest.fixture(scope="module")
def read_only(contract):
    """A game at each stage, for requests that change none."""
    return stages(CheckedService(contract))


@pytest.mark.parametrize("name", BY_NAME)
def test_response_to_a_valid_request_matches_the_contract(name, contract, read_only):
    endpoint, game = BY_NAME[name], read_only[BY_NAME[name].stage]
    is_stream = endpoint.rule.endswith("/stream")
    if endpoint.writes or is_stream:
        game = game_at(endpoint.stage, CheckedService(contract))
    if is_stream:
        collaborators(game.service.app).change_notifier.stop()  # as a shutdown does, which ends the stream
    answer = endpoint.send(game, body=endpoint.right_body(game))
    assert answer.status_code < 300 or answer.json["code"] == "terrain_mismatch", answer.text
    if endpoint.method == "GET" and "ETag" in answer.headers:
        again = endpoint.send(game, headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304


def look_around(game):
    """Request every view of a game twice, for each kind of caller: nobody, the host, a seat, another."""
    view = game.call("GET", token=game.host).json
    round_now, seats = view["round"], len(view["players"])
    tokens = sized(game.tokens[:2], game.tokens)
    for number, token in enumerate((None, game.host, *tokens)):
        for path in (
            "",
            "events",
            "record",
            "scores",
            "position",
            "players",
            "rounds",
            f"rounds/{round_now}",
            f"rounds/{round_now + 1}",
        ):
            answer = game.call("GET", path, token=token)
            known = {"If-None-Match": answer.headers["ETag"]} if "ETag" in answer.headers else {}
            game.call("GET", path, token=token, headers=known)
        unplaced = next(iter(view["bag"]["tiles"]), "L01")
        pictures = "territory/picture.svg?coordinates=true"
        for path in ("", *OF_A_SEAT, pictures, f"places?tile={unplaced}"):
            for known in ({}, {"If-None-Match": "*"}):
                game.service.call("GET", game.path(path, number % max(seats, 1)), token=token, headers=known)


@pytest.mark.parametrize("players", ROUND_SEEN)
def test_responses_of_a_whole_game_match_the_contract(players, service):
    """The only whole games that are compared with the contract; other tests play for other reasons."""
    game = service.create_game(players, bots={players - 1: "random"} if players == 5 else None)
    stage = None
    rolls = dice(players)
    view = game.view()
    while view["status"] == "playing":
        if stage != (view["round"], view["phase"]):
            stage = (view["round"], view["phase"])
            if view["round"] in sized([ROUND_SEEN[players]], range(1, 7)):
                look_around(game)
                if view["phase"] == "building":
                    game.act_legally(view["waiting_for"][0], rolls)
                    assert game.call("DELETE", "placements/1", seat=view["waiting_for"][0]).status_code == 200
        view = game.act_legally(view["waiting_for"][0], rolls)
    look_around(game)
    for token in (None, game.tokens[0]):
        assert game.call("GET", "events/stream", token=token).text.count("\n\n") > 100
    last = {"Last-Event-ID": str(view["last_event"])}
    assert game.call("GET", "events/stream", headers=last).status_code == 204


def test_game_with_open_gold_deadlines_and_leavers_is_in_the_contract(service):
    options = {"open_gold": True, "turn_ms": 1000, "on_timeout": "auto"}
    game = service.create_game(3, options=options)
    game.act_legally(0)
    look_around(game)
    service.clock.advance(2)
    look_around(game)
    assert game.call("POST", "resign", seat=1).status_code == 200
    for _ in range(20):
        service.clock.advance(2)
        game.view()
    look_around(game)


def test_lobby_is_in_the_contract(service):
    game = service.create_game(2, start=False, visibility="private")
    look_around(game)
    joined = game.call("POST", "players", {"bot": "greedy", "color": "green"}, token=game.host)
    assert joined.status_code == 201
    assert game.call("DELETE", seat=0).status_code == 200
    look_around(game)
    assert game.call("POST", "start", token=game.host).status_code == 200
    assert game.abort().status_code == 200
    look_around(game)


def test_list_of_games_is_in_the_contract(service):
    for number in range(3):
        service.create_game(2, name=f"Game {number}", start=number > 0)
    page = service.get("/v1/games?limit=2")
    assert service.get(f"/v1/games?limit=2&cursor={page['next_cursor']}")["next_cursor"] is None
    assert len(service.get("/v1/games?status=lobby")["games"]) == 1


def test_events_of_a_player_key_are_in_the_contract(service):
    key = new_key()
    game = service.create_game(2, bots={1: "random"}, key=key)
    assert len(service.get("/v1/me/games", key)["games"]) == 1
    assert service.get("/v1/me", key)["active_game_count"] == 1
    assert game.abort().status_code == 200
    listed = service.get("/v1/me/events", key)["events"]
    assert [event["type"] for event in listed] == ["seat_taken", "your_turn", "game_over"]
    collaborators(service.app).change_notifier.stop()  # as a shutdown does, which ends the stream
    sent = list(messages(service.call("GET", "/v1/me/events/stream", token=key).text))
    assert [name for name, _ in sent] == ["stream", None, None, None, "end"]
    assert [event for _, event in sent[1:-1]] == listed
    assert sent[-1][1]["reason"] == "restart"


def test_exports_of_records_are_in_the_contract(service):
    for visibility in ("public", "private"):
        service.begin(PLAYER_KEY, players=[{"bot": "random"}] * 2, auto_start=True, visibility=visibility)
    query = "?limit=5&since=2020-01-01T00:00:00Z&until=9999-01-01T00:00:00Z"
    for path, lines in (("/v1/records", 1), (f"/v1/me/games/records{query}", 2)):
        assert len(service.call("GET", path, token=PLAYER_KEY).text.splitlines()) == lines


def test_rematch_of_a_game_is_in_the_contract(service):
    game = service.create_game(2)
    assert game.abort().status_code == 200
    assert game.call("POST", "rematch", token=game.tokens[0]).status_code == 201
    assert game.call("GET", "rematch").status_code == 200


def test_fork_of_a_record_is_in_the_contract(service):
    game = service.create_game(2, bots={0: "random", 1: "greedy"})
    record = service.get(game.path("record"))
    answer = service.call(
        "POST", "/v1/games", {"record": record, "stop_at": 30, "options": {"turn_ms": 60_000}}
    )
    assert answer.status_code == 201
    assert answer.json["game"]["options"]["turn_ms"] == 60_000


def test_what_if_and_scoring_are_in_the_contract(service):
    game = service.create_game(2)
    game.play_to("building", 2)
    place = game.actions(0)[0]["body"]
    for placements in ([], [place], [place, place], [place | {"x": 90}]):
        assert game.call("POST", "what-if", {"placements": placements}, seat=0).status_code == 200
    tiles = [player["territory"] for player in game.view()["players"]]
    body = {"territories": [{"tiles": placed, "gold": 12} for placed in tiles]}
    assert service.call("POST", "/v1/scoring", body).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/docs",
        "/docs/retries",
        "/docs/reference",
        "/docs/errors",
        "/docs/assets/docs.css",
        "/docs/assets/building.webp",
        "/docs/assets/territory.svg",
        "/openapi.yaml",
        "/openapi.json",
        "/arazzo.yaml",
        "/arazzo.json",
    ],
)
def test_documentation_is_in_the_contract(path, service):
    first = service.call("GET", path)
    again = service.call("GET", path, headers={"If-None-Match": first.headers["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)


def test_redirect_of_browsers_is_in_the_contract(service):
    answer = service.call("GET", "/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/play/")


@pytest.mark.parametrize(
    "path", ["/metrics", "/v1/tiles/castle-red", "/v1/tiles/L45/picture.svg?rotation=270"]
)
def test_other_views_are_in_the_contract(path, service):
    assert service.call("GET", path).status_code == 200


@pytest.mark.usefixtures("stopped_clock")
def test_limits_are_in_the_contract(contract):
    service = CheckedService(contract, limits=True, limit_requests_per_minute=2, limit_games_per_minute=2)
    codes = [service.call("GET", "/v1/tiles").status_code for _ in range(3)]
    assert codes == [200, 200, 429]


def test_every_documented_response_was_received(contract, request):
    """All the other tests together have received every response that is not a problem; it runs after them."""
    chosen = {item.function for item in request.session.items}
    if any(test not in chosen for name, test in globals().items() if name.startswith("test_")):
        pytest.skip("only some of the other tests were run")
    assert not contract.unreceived(contract.own_operations())
