"""The settings, read from environment variables."""

from dataclasses import fields
from pathlib import Path

import pytest

from skye_server.setting_parsers import Address, folder
from skye_server.settings import Settings, SettingsError, table, unknown_variables


def test_empty_environment_has_the_defaults():
    settings = Settings.from_environment({})
    assert settings == Settings()
    assert settings.redis_url is None
    assert settings.bind == Address("127.0.0.1", 8000)
    assert 2 <= settings.workers <= 4
    assert settings.data_dir.name == "skye-server"
    assert settings.cors_origins == ("*",)


def test_user_without_home_folder_has_a_data_folder_all_the_same(monkeypatch):
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 65_047)  # no line of /etc/passwd
    assert folder("") == Path("/var/lib/skye-server")
    assert folder("/games") == Path("/games")
    with pytest.raises(ValueError, match="no home folder"):
        folder("~/games")


def test_empty_variable_has_its_default():
    assert Settings.from_environment({"SKYE_WORKERS": "", "SKYE_REDIS_URL": " "}) == Settings()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("redis_url", "redis://cache:6379/0", "redis://cache:6379/0"),
        ("redis_url", "rediss://me:word@cache/0", "rediss://me:word@cache/0"),
        ("redis_url", "unix:///run/redis.sock", "unix:///run/redis.sock"),
        ("redis_url", "memory://", "memory://"),
        ("bind", "0.0.0.0:80", Address("0.0.0.0", 80)),
        ("bind", "[::1]:8000", Address("::1", 8000)),
        ("bind", "localhost:0", Address("localhost", 0)),
        ("data_dir", "~/skye", Path.home() / "skye"),
        ("appendfsync", "Always", "always"),
        ("workers", "7", 7),
        ("max_body_bytes", "1024", 1024),
        ("cors_origins", "https://a.org, http://b.org:81", ("https://a.org", "http://b.org:81")),
        ("limits", "On", True),
        ("limit_requests_per_minute", "0", 0),
        ("trusted_proxies", "2", 2),
        ("game_ttl_finished_s", "60", 60),
    ],
)
def test_each_setting_is_read_in_its_own_form(name, text, value):
    assert getattr(Settings.from_environment({f"SKYE_{name.upper()}": text}), name) == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("SKYE_REDIS_URL", "http://cache"),
        ("SKYE_REDIS_URL", "redis://"),
        ("SKYE_REDIS_URL", "redis://cache:port/0"),
        ("SKYE_BIND", "8000"),
        ("SKYE_BIND", "127.0.0.1:80000"),
        ("SKYE_HEALTH_BIND", "127.0.0.1:0"),
        ("SKYE_APPENDFSYNC", "no"),
        ("SKYE_WORKERS", "0"),
        ("SKYE_WORKERS", "²"),
        ("SKYE_LOG_LEVEL", "loud"),
        ("SKYE_REDIS_TIMEOUT_MS", "-1"),
        ("SKYE_MAX_BODY_BYTES", "1e6"),
        ("SKYE_CORS_ORIGINS", "example.org"),
        ("SKYE_LIMITS", "yes"),
        ("SKYE_LIMIT_STREAMS", "-1"),
        ("SKYE_TRUSTED_PROXIES", "all"),
        ("SKYE_GAME_TTL_LOBBY_S", "0"),
    ],
)
def test_value_that_cannot_be_used_is_refused_by_name(variable, text):
    with pytest.raises(SettingsError, match=f"^{variable}="):
        Settings.from_environment({variable: text})


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"SKYE_BIND": "[::1]:9000", "SKYE_HEALTH_BIND": "[::1]:9000"}, "SKYE_BIND has that port"),
        ({"SKYE_HEALTH_BIND": "0.0.0.0:8000"}, "SKYE_BIND has that port"),
        ({"SKYE_WEBHOOKS_PORTS": "80;443"}, "numbers from 1 to 65535, separated by commas"),
        ({"SKYE_REDIS_URL": "redis://:pass/word@cache"}, "percent-encode"),
        ({"SKYE_REDIS_URL": "redis://:pass#word@cache"}, "percent-encode"),
    ],
)
def test_refused_value_is_explained(environ, message):
    with pytest.raises(SettingsError, match=message) as raised:
        Settings.from_environment(environ)
    assert "word@" not in str(raised.value)


def test_all_invalid_settings_are_reported_at_once():
    with pytest.raises(SettingsError) as raised:
        Settings.from_environment({"SKYE_BIND": "x", "SKYE_WORKERS": "y", "SKYE_LOG_LEVEL": "z"})
    assert [line.partition("=")[0] for line in str(raised.value).splitlines()] == [
        "SKYE_BIND",
        "SKYE_WORKERS",
        "SKYE_LOG_LEVEL",
    ]


@pytest.mark.parametrize("url", ["", "memory://"])
def test_replicas_of_the_embedded_server_are_refused(url):
    with pytest.raises(SettingsError, match="SKYE_REDIS_REPLICAS=1: the embedded server has no replicas"):
        Settings.from_environment({"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_URL": url})


def test_password_in_the_redis_url_is_in_no_output():
    with pytest.raises(SettingsError) as raised:
        Settings.from_environment({"SKYE_REDIS_URL": "redis://me:secret@cache:port"})
    assert "secret" not in str(raised.value)
    assert "secret" not in repr(Settings(redis_url="redis://me:secret@cache"))


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("SKYE_WORKER", "did you mean SKYE_WORKERS?"),
        ("SKYE_DATADIR", "did you mean SKYE_DATA_DIR?"),
        ("SKYE_REDIS", "did you mean SKYE_REDIS_URL?"),
        ("SKYE_ZZ", "`skye-server settings` lists them"),
    ],
)
def test_unknown_variable_is_reported_with_the_nearest_known_one(variable, hint):
    assert unknown_variables({variable: "1", "SKYE_BIND": "", "PATH": ""}) == [
        f"{variable} is not a setting: {hint}"
    ]


def test_table_has_a_row_for_each_setting():
    rows = table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [f"SKYE_{field.name.upper()}" for field in fields(Settings)]
    assert "| `SKYE_BIND` | `127.0.0.1:8000` | address of the API" in table()


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("SKYE_LIMITS", "on"),
        ("SKYE_REDIS_REPLICAS", "1"),
        ("SKYE_TRUSTED_PROXIES", "1"),
        ("SKYE_REDIS_URL", "redis+sentinel://a:26379/skye"),
        ("SKYE_REDIS_URL", "redis+cluster://a:6379"),
        ("SKYE_BIND", "0.0.0.0:8000"),
        ("SKYE_BIND", "[::]:8000"),
        ("SKYE_BIND", "skye.example:8000"),
    ],
)
def test_lab_beside_a_mark_of_production_is_refused(variable, text):
    with pytest.raises(SettingsError, match=f"^SKYE_LAB=on: not with {variable}: "):
        Settings.from_environment({"SKYE_REDIS_URL": "redis://a", "SKYE_LAB": "on", variable: text})


@pytest.mark.parametrize(
    "more",
    [
        {"SKYE_REDIS_URL": ""},
        {"SKYE_REDIS_URL": "memory://"},
        {"SKYE_REDIS_URL": "redis://a:6379/3"},
        {"SKYE_BIND": "127.0.0.2:0"},
        {"SKYE_BIND": "[::1]:8000"},
        {"SKYE_BIND": "localhost:8000"},
        {"SKYE_BIND": "0.0.0.0:8000", "SKYE_LAB_PUBLIC": "on"},
    ],
)
def test_lab_on_this_host_or_one_server_or_public_is_accepted(more):
    assert Settings.from_environment({"SKYE_LAB": "on"} | more).lab


@pytest.mark.parametrize(
    ("more", "is_on"),
    [
        ({}, False),
        ({"SKYE_BIND": "0.0.0.0:8000"}, True),
        ({"SKYE_TRUSTED_PROXIES": "1"}, True),
        ({"SKYE_BIND": "0.0.0.0:8000", "SKYE_LIMITS": "off"}, False),
        ({"SKYE_BIND": "0.0.0.0:8000", "SKYE_LAB": "on", "SKYE_LAB_PUBLIC": "on"}, False),
        ({"SKYE_LIMITS": "on"}, True),
    ],
)
def test_limits_are_on_where_other_hosts_reach_the_server(more, is_on):
    assert Settings.from_environment(more).is_limited is is_on


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({}, True),
        ({"SKYE_LIMITS": "off"}, True),
        ({"SKYE_TRUSTED_PROXIES": "1"}, False),
        ({"SKYE_BIND_DIRECTLY": "on"}, False),
        ({"SKYE_LAB": "on", "SKYE_LAB_PUBLIC": "on"}, False),
    ],
)
def test_public_address_wants_a_proxy_or_the_risk_accepted(more, refused):
    public = {"SKYE_BIND": "0.0.0.0:8000"} | more
    settings = Settings.from_environment(public)
    assert bool(settings.refusal(settings.bind)) is refused
    assert settings.refusal(Address("127.0.0.1", 80)) is None


@pytest.mark.parametrize(
    ("more", "risks"),
    [
        ({}, []),
        ({"SKYE_TRUSTED_PROXIES": "1"}, []),
        ({"SKYE_TRUSTED_PROXIES": "1", "SKYE_LIMITS": "off"}, ["SKYE_LIMITS"]),
        ({"SKYE_BIND": "[::]:80", "SKYE_BIND_DIRECTLY": "on"}, ["SKYE_BIND_DIRECTLY"]),
        (
            {"SKYE_BIND": "[::]:80", "SKYE_BIND_DIRECTLY": "on", "SKYE_LIMITS": "off"},
            ["SKYE_BIND_DIRECTLY", "SKYE_LIMITS"],
        ),
        ({"SKYE_LAB": "on"}, ["SKYE_LAB"]),
        ({"SKYE_HISTORY_TTL_S": "60"}, ["SKYE_HISTORY_TTL_S"]),
    ],
)
def test_risks_are_named_by_their_settings(more, risks):
    settings = Settings.from_environment(more)
    assert [line.split()[0] for line in settings.warnings(settings.bind)] == risks
