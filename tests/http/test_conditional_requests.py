"""Requests on a condition: changes to a version that is there, and answers that are known already."""

import pytest

from tests.support.endpoints import ENDPOINTS
from tests.support.playing import problem_code


def test_write_with_the_current_version_is_accepted(service):
    game = service.create_game(2)
    for tag in ('"{}"', '"1", "{}"', "*"):
        headers = {"If-Match": tag.format(game.view()["version"])}
        answer = game.send(0, game.actions(0)[0], headers=headers)
        assert answer.status_code == 200
        assert answer.headers["ETag"] == f'"{game.view()["version"]}"'


def test_write_on_another_version_is_refused(service):
    game = service.create_game(2)
    version = game.view()["version"]
    action = game.actions(0)[0]
    for tag in (f'"{version - 1}"', f'"{version + 1}"', f'W/"{version}"'):
        assert problem_code(game.send(0, action, headers={"If-Match": tag})) == "version_mismatch"
    assert game.view()["version"] == version


UNVERSIONED = ("/events", "/events/stream", "/rematch", "/deliveries")
"""Ends of paths whose responses change without a new version of the game, or are not views of it."""

VERSIONED = [
    endpoint
    for endpoint in ENDPOINTS
    if endpoint.method == "GET"
    and endpoint.of_game
    and not endpoint.rule.endswith(UNVERSIONED)
    and "/webhooks" not in endpoint.rule
    and endpoint.stage != "invited"  # there are invitations in lobbies only
]


@pytest.mark.parametrize("endpoint", VERSIONED, ids=lambda endpoint: endpoint.name)
def test_unchanged_representation_is_not_sent_again(endpoint, service):
    game = service.create_game()
    first = endpoint.send(game)
    tag = first.headers["ETag"]
    assert tag.startswith(f'"{game.view()["version"]}')
    for known in (tag, f"W/{tag}", f'"0", {tag}', "*"):
        answer = endpoint.send(game, headers={"If-None-Match": known})
        assert (answer.status_code, answer.data) == (304, b"")
        for name in ("ETag", "Cache-Control", "Vary"):
            assert answer.headers[name] == first.headers[name]
    game.offer(0, 1, 1)
    assert endpoint.send(game, headers={"If-None-Match": tag}).status_code == 200


def test_cached_view_of_one_caller_is_not_returned_to_another(service):
    game = service.create_game(3, start=True)
    callers = [*game.tokens, game.host, None]
    for rest in ("", "scores", "record", "rounds/1"):
        tags = [game.call("GET", rest, token=token).headers["ETag"] for token in callers]
        assert len(set(tags)) == len(callers)
        for token, own in zip(callers, tags, strict=True):
            for tag in tags:
                answer = game.call("GET", rest, token=token, headers={"If-None-Match": tag})
                assert answer.status_code == (304 if tag == own else 200)


@pytest.mark.parametrize("rest", ["territory", "territory/picture.svg", "places?tile=L01"])
def test_own_territory_has_the_entity_tag_of_its_seat(service, rest):
    game = service.create_game(2)
    path = f"{game.path('players')}/me/{rest}"
    tags = [service.call("GET", path, token=token).headers["ETag"] for token in game.tokens]
    assert tags[0] != tags[1]
    answer = service.call("GET", path, token=game.tokens[1], headers={"If-None-Match": tags[0]})
    assert answer.status_code == 200


def test_view_of_an_invited_player_is_not_that_of_a_spectator(service):
    game = service.create_game(2, start=False)
    code = game.call("POST", "invitations", token=game.host).json["invitation"]["code"]
    tag = game.call("GET").headers["ETag"]
    invited = game.call("GET", token=code, headers={"If-None-Match": tag})
    assert (invited.status_code, invited.json["you"]["roles"]) == (200, ["invited"])


def test_version_matches_each_entity_tag_of_its_views(service):
    game = service.create_game(2)
    for seat in (0, 1):
        tag = game.call("GET", token=game.tokens[seat]).headers["ETag"]
        assert game.send(0, game.actions(0)[0], headers={"If-Match": tag}).status_code == 200
        again = game.send(0, game.actions(0)[0], headers={"If-Match": tag})
        assert problem_code(again) == "version_mismatch"


def test_conditional_request_without_access_is_refused(service):
    game = service.create_game(visibility="private")
    headers = {"If-None-Match": f'"{game.view(0)["version"]}"'}
    assert problem_code(game.call("GET", headers=headers)) == "game_not_found"
    others = game.call("GET", "actions", seat=0, token=game.tokens[1], headers=headers)
    assert problem_code(others) == "not_your_seat"
    assert (
        problem_code(service.create_game().call("GET", token="skye_no", headers=headers)) == "token_unknown"
    )


_CATALOGUE = [
    "tiles",
    "tiles/L01",
    "tiles/L01/picture.svg",
    "tiles/pictures.svg",
    "scoring-tiles",
    "scoring-tiles/sheep",
    "bots",
]


@pytest.mark.parametrize("path", _CATALOGUE)
def test_catalogue_can_be_kept(service, path):
    first = service.call("GET", f"/v1/{path}")
    assert "max-age=86400" in first.headers["Cache-Control"]
    again = service.call("GET", f"/v1/{path}", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_picture_is_not_taken_for_the_same_territory_as_json(service):
    game = service.create_game()
    json, path = service.call("GET", game.path("territory", 0)), game.path("territory/picture.svg", 0)
    picture = service.call("GET", path)
    assert json.headers["ETag"] != picture.headers["ETag"]
    again = service.call("GET", path, headers={"If-None-Match": json.headers["ETag"]})
    assert (again.status_code, again.content_type) == (200, picture.content_type)


@pytest.mark.parametrize("endpoint", VERSIONED, ids=lambda endpoint: endpoint.name)
def test_long_list_of_known_entity_tags_is_refused(endpoint, service):
    answer = endpoint.send(service.create_game(), headers={"If-None-Match": "1" * 1025})
    assert problem_code(answer) == "invalid_parameter"
    assert [(error["in"], error["name"]) for error in answer.json["errors"]] == [("header", "If-None-Match")]


def test_long_list_of_known_entity_tags_of_a_constant_resource_is_refused(service):
    for path in ("/v1/tiles", "/openapi.json", "/docs/rules"):
        answer = service.http.get(path, headers={"If-None-Match": "1" * 1025})
        assert problem_code(answer) == "invalid_parameter"


def test_write_on_a_long_list_of_versions_is_refused(service):
    game = service.create_game(2)
    answer = game.send(0, game.actions(0)[0], headers={"If-Match": "1" * 1025})
    assert problem_code(answer) == "invalid_parameter"
    assert [(error["in"], error["name"]) for error in answer.json["errors"]] == [("header", "If-Match")]


PRECONDITIONED = [endpoint for endpoint in ENDPOINTS if endpoint.rule.startswith("/v1")]


@pytest.fixture
def refused(games, unchanged):  # noqa: ARG001 - checks the store after the test
    """Check that a request with preconditions is refused, and changes nothing."""

    def check(endpoint, **headers):
        game = games[endpoint.stage]
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = endpoint.send(game, headers=named, body=endpoint.right_body(game))
        assert problem_code(answer) == "version_mismatch", answer.text
        assert answer.status_code == 412

    return check


@pytest.mark.parametrize(
    "endpoint", [each for each in PRECONDITIONED if each.method == "GET"], ids=lambda each: each.name
)
def test_read_with_another_entity_tag_is_refused(endpoint, games, refused):
    present = endpoint.send(games[endpoint.stage])
    tag = present.headers.get("ETag")
    present.close()
    for known in ("*", *([tag, f'"0", {tag}'] if tag else [])):
        answer = endpoint.send(games[endpoint.stage], headers={"If-Match": known})
        assert answer.status_code == present.status_code
        answer.close()
    for other in ('"0"', "", *([f"W/{tag}"] if tag else [])):
        refused(endpoint, If_Match=other)
    refused(endpoint, If_Match='"0"', If_None_Match="*")


@pytest.mark.parametrize(
    "endpoint", [each for each in PRECONDITIONED if each.changes_game], ids=lambda each: each.name
)
def test_change_of_a_game_that_must_not_exist_is_refused(endpoint, games, refused):
    version = games[endpoint.stage].view()["version"]
    for tag in ("*", f'"{version}"', f'W/"{version}-seat1"', f'"0", "{version}"'):
        refused(endpoint, If_None_Match=tag)
    refused(endpoint, If_Match=f'"{version}"', If_None_Match="*")


READ = {each.rule for each in PRECONDITIONED if each.method == "GET"}


@pytest.mark.parametrize(
    "endpoint",
    [each for each in PRECONDITIONED if each.method != "GET" and not each.changes_game and each.rule in READ],
    ids=lambda each: each.name,
)
def test_change_of_what_must_not_exist_is_refused(endpoint, refused):
    refused(endpoint, If_None_Match="*")
    refused(endpoint, If_Match='"0"')


def test_change_without_access_is_refused_whatever_its_preconditions(games):
    for endpoint in PRECONDITIONED:
        if endpoint.method != "GET" and endpoint.who is not None:
            game = games[endpoint.stage]
            for token in ("skye_no", None):
                headers, body = {"If-None-Match": "*"}, endpoint.right_body(game)
                answer = endpoint.send(game, token=token, headers=headers, body=body)
                assert answer.status_code == 401
                assert problem_code(answer) in {"token_unknown", "token_required", "player_key_required"}


def test_write_that_its_preconditions_accept_is_made(service):
    game = service.create_game(2)
    for tag in ('"0"', f'"{game.view()["version"] - 1}"', ""):
        assert game.send(0, game.actions(0)[0], headers={"If-None-Match": tag}).status_code == 200
