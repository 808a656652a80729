"""The URL of Redis: its forms, what is refused, and that no password is shown."""

import re

import pytest

from skye_server.redis_url import RedisUrl, parse, without_secrets

CACHE = (("cache", 6379),)
ME = {"username": "me", "password": "word"}
NO_CHECK = {"ssl": True, "ssl_cert_reqs": "none"}
FORMS = {
    "redis://cache": RedisUrl("single", CACHE, "", {}, {}),
    "redis://[::1]:7000/3": RedisUrl("single", (("::1", 7000),), "", {"db": 3}, {}),
    "redis://:p%40ss@cache/0": RedisUrl("single", CACHE, "", {"password": "p@ss"}, {}),
    "redis://cache?username=me&password=a%26b&client_name=skye": RedisUrl(
        "single", CACHE, "", ME | {"password": "a&b", "client_name": "skye"}, {}
    ),
    "rediss://me:word@cache:1/0?ssl_cert_reqs=none&ssl_check_hostname=no": RedisUrl(
        "single", (("cache", 1),), "", ME | NO_CHECK | {"ssl_check_hostname": False}, {}
    ),
    "unix://me:word@/run/redis%20one.sock?db=2": RedisUrl(
        "single", (), "", ME | {"unix_socket_path": "/run/redis one.sock", "db": 2}, {}
    ),
    "redis+sentinel://:word@a,b:26380,[::1]:1/skye/4?sentinel_password=other": RedisUrl(
        "sentinel",
        (("a", 26379), ("b", 26380), ("::1", 1)),
        "skye",
        {"password": "word", "db": 4},
        {"password": "other"},
    ),
    "rediss+sentinel://a/skye?ssl_cert_reqs=none": RedisUrl(
        "sentinel", (("a", 26379),), "skye", NO_CHECK, NO_CHECK
    ),
    "redis+cluster://:word@a:7000,b": RedisUrl(
        "cluster", (("a", 7000), ("b", 6379)), "", {"password": "word"}, {}
    ),
    "rediss+cluster://a/0": RedisUrl("cluster", (("a", 6379),), "", {"ssl": True}, {}),
}


@pytest.mark.parametrize(("text", "meaning"), FORMS.items())
def test_each_form_is_read(text, meaning):
    assert parse(text) == meaning


@pytest.mark.parametrize(
    ("text", "received"),
    [
        ("http://cache", "want redis://"),
        ("cache:6379", "want redis://"),
        ("redis+other://cache", "want redis://"),
        ("redis://", "want redis://"),
        ("redis://cache:port", "want redis://"),
        ("redis://cache:0", "want redis://"),
        ("redis://cache:70000", "want redis://"),
        ("redis://cache#0", "want redis://"),
        ("redis://a,b", "one server has one address"),
        ("redis://cache/games", "number of a database"),
        ("redis://cache/0/1", "number of a database"),
        ("unix://cache/run/redis.sock", "want unix:///path"),
        ("unix://", "want unix:///path"),
        ("redis+sentinel://a,b", "name of the master's service"),
        ("redis+sentinel://a,/skye", "want redis://"),
        ("redis+cluster://a/1", "only database 0"),
        ("redis://cache?retry=9", "want no arguments but db, username"),
        ("redis://cache?decode_responses=yes", "want no arguments but"),
        ("redis://cache?db=one", "db: want a whole number"),
        ("redis://cache?ssl_cert_reqs=none", "want rediss://"),
        ("rediss://cache?ssl_cert_reqs=maybe", "ssl_cert_reqs: want required or none"),
        ("rediss://cache?ssl_ca_certs=/no/such/file", "ssl_ca_certs: /no/such/file cannot be read: No"),
        ("rediss://cache?ssl_ca_path=/no/such/folder", "is no folder"),
        ("redis://cache?sentinel_password=x", "want redis+sentinel://"),
        ("redis+cluster://cache?sentinel_password=x", "want redis+sentinel://"),
    ],
)
def test_invalid_url_is_refused_with_the_expected_form(text, received):
    with pytest.raises(ValueError, match=re.escape(received)):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "redis://me:secret@cache:port",
        "redis://me:secret@a,b",
        "redis://:secret@cache/games",
        "redis+sentinel://:secret@a",
        "redis+cluster://:secret@a/1",
        "redis://cache?password=secret&other=1",
        "redis://cache?sentinel_password=secret",
        "rediss://cache?ssl_password=secret&ssl_certfile=/no/such",
    ],
)
def test_error_of_a_url_does_not_contain_its_password(text):
    with pytest.raises(ValueError, match="want|one address|a cluster|cannot be read") as raised:  # noqa: RUF043 - a pattern
        parse(text)
    assert "secret" not in str(raised.value)
    assert "secret" not in without_secrets(text)


def test_url_is_shown_without_its_password():
    assert without_secrets("redis+sentinel://me:word@a:1,b/skye?sentinel_password=x") == (
        "redis+sentinel://a:1,b/skye"
    )
    assert without_secrets("unix:///run/redis.sock?password=x") == "unix:///run/redis.sock"
