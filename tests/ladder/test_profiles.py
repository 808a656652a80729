"""Profiles: public names of players, each claimed by one key."""

import pytest
from click.testing import CliRunner

from skye_server.cli.__main__ import main
from skye_server.error_codes import Problem
from skye_server.ladder.profiles import Profiles
from skye_server.store.redis_store import RedisStore
from tests.ladder.support import begin_rated, new_player, put_profile, seek_rated
from tests.players.test_player_keys import replaced
from tests.support.dispatching import dispatch
from tests.support.playing import Service, limited, new_key, problem_code

DAY_S = 86_400


def test_profile_is_shown_by_its_name(service):
    key = new_key()
    sent = {"bot": True, "description": "A bot", "link": "https://example.org/"}
    own = put_profile(service, key, "ann-1", **sent).json
    assert own["name_changeable_at"] == "2027-01-22T08:00:00.000Z"
    assert own["expires_at"] == "2027-02-14T08:00:00.000Z"
    shown = service.get("/v1/players/ann-1")
    assert shown == {"name": "ann-1", **sent, "created_at": own["created_at"], "ratings": [], "results": []}
    assert service.get("/v1/me/profile", key) == own


def test_name_belongs_to_the_first_who_claims_it(service):
    new_player(service, "ann")
    assert problem_code(put_profile(service, new_key(), "ann")) == "profile_name_taken"


@pytest.mark.parametrize("name", ["server", "bot", "admin"])
def test_reserved_name_is_refused(service, name):
    assert problem_code(put_profile(service, new_key(), name)) == "profile_name_taken"


@pytest.mark.parametrize("name", ["ab", "a" * 21, "Ann", "ann!", "ann\n", "änn", "", None, 3])
def test_name_of_another_form_is_refused(service, name):
    assert problem_code(put_profile(service, new_key(), name)) == "invalid_body"


def test_name_is_changed_once_a_week(service):
    key = new_player(service, "ann")
    answer = put_profile(service, key, "bob")
    assert (problem_code(answer), answer.json["params"]) == ("renamed_lately", {"seconds": 7 * DAY_S})
    assert put_profile(service, key, "ann", description="new").status_code == 200
    service.clock.advance(7 * DAY_S)
    assert put_profile(service, key, "bob").status_code == 200
    assert service.call("GET", "/v1/players/ann").status_code == 404
    new_player(service, "ann")


def test_deleted_profile_frees_its_name(service):
    key = new_player(service, "ann")
    assert service.call("DELETE", "/v1/me/profile", token=key).status_code == 204
    assert problem_code(service.call("GET", "/v1/players/ann")) == "profile_not_found"
    assert problem_code(service.call("GET", "/v1/me/profile", token=key)) == "profile_not_found"
    new_player(service, "ann")


def test_unused_name_ends_after_thirty_days(service):
    key = new_player(service, "ann")
    service.clock.advance(30 * DAY_S - 1)
    dispatch(service)
    assert service.call("GET", "/v1/players/ann").status_code == 200
    service.clock.advance(1)
    dispatch(service)
    assert service.call("GET", "/v1/me/profile", token=key).status_code == 404
    assert service.redis.keys("*name.ann*") == []


def test_used_name_does_not_end(service):
    keys = [new_player(service, name) for name in ("ann", "bob")]
    begin_rated(service, *keys)
    service.clock.advance(31 * DAY_S)
    dispatch(service)
    assert service.get("/v1/me/profile", keys[0])["expires_at"] is None


def test_claim_without_a_profile_is_removed(service, monkeypatch):
    def fail(*_):
        raise Problem("store_unavailable")

    monkeypatch.setattr(Profiles, "_change", fail)
    assert problem_code(put_profile(service, new_key(), "ann")) == "store_unavailable"
    monkeypatch.undo()
    assert problem_code(put_profile(service, new_key(), "ann")) == "profile_name_taken"
    service.clock.advance(61)
    dispatch(service)
    new_player(service, "ann")


def test_bot_stays_one_after_its_first_rated_game(service):
    bot, ann = new_player(service, "robot", bot=True), new_player(service, "ann")
    assert put_profile(service, bot, "robot", bot=False).json["bot"] is False
    assert put_profile(service, bot, "robot", bot=True).json["bot"] is True
    game = begin_rated(service, bot, ann)
    assert [player["bot"] for player in game.view()["rated"]["players"]].count(True) == 1
    assert problem_code(put_profile(service, bot, "robot")) == "bot_is_final"


def test_deletion_frees_no_player_from_what_a_rated_game_has_fixed(service):
    bot, ann = new_player(service, "robot", bot=True), new_player(service, "ann")
    begin_rated(service, bot, ann)
    assert service.call("DELETE", "/v1/me/profile", token=bot).status_code == 204
    assert problem_code(service.call("GET", "/v1/me/profile", token=bot)) == "profile_not_found"
    assert problem_code(put_profile(service, bot, "person", bot=True)) == "renamed_lately"
    service.clock.advance(7 * DAY_S)
    assert problem_code(seek_rated(service, bot, "127.0.0.9")) == "profile_required"
    assert problem_code(put_profile(service, bot, "person")) == "bot_is_final"
    assert put_profile(service, bot, "person", bot=True).json["expires_at"] is None
    new_player(service, "robot")


@pytest.mark.parametrize("leaves", ["deletion", "change"])
def test_name_that_a_dying_process_left_is_removed(service, monkeypatch, leaves):
    key, other = new_player(service, "ann"), new_player(service, "bob")
    begin_rated(service, key, other)
    service.clock.advance(7 * DAY_S)
    dispatch(service)
    monkeypatch.setattr(Profiles, "_release", lambda *_: None)  # as when the process ends before it
    if leaves == "deletion":
        service.call("DELETE", "/v1/me/profile", token=key)
    else:
        put_profile(service, key, "anna")
    monkeypatch.undo()
    assert problem_code(put_profile(service, new_key(), "ann")) == "profile_name_taken"
    service.clock.advance(61)
    dispatch(service)
    new_player(service, "ann")


def test_replaced_key_keeps_the_profile(service):
    old, new = new_player(service, "ann"), new_key()
    replaced(service, old, new)
    assert service.get("/v1/me/profile", new)["name"] == "ann"


def test_address_claims_three_names_a_day():
    service = limited()
    for name in ("ann", "bob", "cyd"):
        new_player(service, name)
    answer = put_profile(service, new_key(), "dee")
    assert problem_code(answer) == "too_many_requests"


def test_taken_name_costs_no_part_of_the_budget():
    service = limited(limit_games_per_minute=1000)
    new_player(service, "ann")
    key = new_key()
    for _ in range(5):
        assert problem_code(put_profile(service, key, "ann")) == "profile_name_taken"
    assert put_profile(service, key, "bob").status_code == 200


def test_blocked_name_is_taken_until_it_is_unblocked(redis_client, redis_server):
    store = RedisStore(redis_client)
    store.claim_layout()
    service = Service(redis_client, store)
    new_player(service, "rude-name")
    for command, name in (("block", "rude-name"), ("block", "never_claimed")):
        done = CliRunner().invoke(
            main, ["players", command, "--name", name], env={"SKYE_REDIS_URL": redis_server.url}
        )
        assert done.exit_code == 0, done.output
        assert service.call("GET", f"/v1/players/{name}").status_code == 404
        assert problem_code(put_profile(service, new_key(), name)) == "profile_name_taken"
    done = CliRunner().invoke(
        main, ["players", "unblock", "--name", "rude-name"], env={"SKYE_REDIS_URL": redis_server.url}
    )
    assert done.exit_code == 0, done.output
    new_player(service, "rude-name")
