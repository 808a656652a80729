"""compose.yaml, and what it and the files that it mounts must agree on."""

import re

import pytest
import yaml

from service.settings import Settings, unknown_variables
from tests.deploy.facts import (
    DEPLOY,
    gunicorn,
    image_environment,
    image_name,
    image_port,
    redis_configuration,
)

NGINX = DEPLOY / "nginx"


def with_defaults(value):
    """Replace `${NAME:-default}` by the default, wherever it stands."""
    if isinstance(value, dict):
        return {key: with_defaults(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_defaults(inner) for inner in value]
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value) if isinstance(value, str) else value


COMPOSE = with_defaults(yaml.safe_load((DEPLOY / "compose.yaml").read_text()))
SERVICES = COMPOSE["services"]
INSTANCES = {name: service for name, service in SERVICES.items() if name.startswith("api-")}


def option(service, name):
    """Return the values of an option of a service's command."""
    return [part.split("=", 1)[1] for part in service["command"] if part.startswith(f"--{name}=")]


def upstreams():
    """Return the sockets of each upstream that nginx knows."""
    groups = re.findall(r"upstream (\w+) \{(.*?)\}", (NGINX / "upstream.conf").read_text(), re.DOTALL)
    return {name: set(re.findall(r"server unix:(\S+)", group)) for name, group in groups}


@pytest.mark.parametrize("name", INSTANCES)
def test_the_settings_are_ones_that_there_are(name):
    environment = image_environment() | INSTANCES[name]["environment"]
    assert unknown_variables(environment) == []
    settings = Settings.from_environment(environment)
    assert settings.trusted_proxies == 1
    assert settings.limits


def test_nginx_knows_the_sockets_of_all_instances():
    sockets = {bind.removeprefix("unix:") for one in INSTANCES.values() for bind in option(one, "bind")[1:]}
    assert len(sockets) == len(INSTANCES) == 2
    assert upstreams() == {"skye": sockets, "skye_once": sockets}
    assert set(re.findall(r"proxy_pass http://(\w+);", (NGINX / "nginx.conf").read_text())) == set(
        upstreams()
    )


def test_all_see_the_folder_of_the_sockets():
    for service in (*INSTANCES.values(), SERVICES["nginx"]):
        assert "sockets:/run/skye" in service["volumes"]


@pytest.mark.parametrize("name", INSTANCES)
def test_the_health_check_finds_an_instance_at_the_image_s_own_address(name):
    assert option(INSTANCES[name], "bind")[0] == image_environment()["SKYE_BIND"]
    assert str(image_port()) in image_environment()["SKYE_BIND"]


def test_nginx_listens_where_its_port_is_published():
    (published,) = SERVICES["nginx"]["ports"]
    port = published.rpartition(":")[2]
    assert re.findall(r"(?m)^listen (\d+)", (NGINX / "listen.conf").read_text()) == [port]
    assert f"http://127.0.0.1:{port}/healthz" in SERVICES["nginx"]["healthcheck"]["test"]


def test_what_is_mounted_is_there():
    for service in SERVICES.values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
    for name in re.findall(r"(?m)^\s*include (\S+);", (NGINX / "nginx.conf").read_text()):
        assert (NGINX / name).is_file()


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_hardened(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert name in INSTANCES or int(service["user"].split(":")[0]) > 0  # the image of the API says its own


def test_redis_is_reached_by_the_api_alone():
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert SERVICES["redis"]["networks"] == ["back"]
    assert "ports" not in SERVICES["redis"]
    assert "back" not in SERVICES["nginx"]["networks"]


def test_redis_loses_nothing_that_it_has_acknowledged():
    assert redis_configuration()["appendonly"] == "yes"
    assert redis_configuration()["maxmemory-policy"] == "noeviction"
    assert "games:/data" in SERVICES["redis"]["volumes"]
    assert redis_configuration()["dir"] == "/data"


@pytest.mark.parametrize("name", INSTANCES)
def test_the_api_knows_the_password_of_redis(name):
    command = SERVICES["redis"]["command"]
    password = command[command.index("--requirepass") + 1]
    assert INSTANCES[name]["environment"]["SKYE_REDIS_URL"] == f"redis://:{password}@redis:6379/0"
    assert SERVICES["redis"]["environment"]["REDISCLI_AUTH"] == password


@pytest.mark.parametrize("name", INSTANCES)
def test_an_instance_is_given_the_time_that_it_needs_to_stop(name):
    assert int(INSTANCES[name]["stop_grace_period"].removesuffix("s")) > gunicorn("graceful_timeout")


@pytest.mark.parametrize("name", INSTANCES)
def test_an_instance_may_open_as_many_files_as_it_takes_connections(name):
    workers = int(INSTANCES[name]["environment"]["SKYE_WORKERS"])
    assert INSTANCES[name]["ulimits"]["nofile"]["soft"] > workers * gunicorn("worker_connections")


def test_it_is_nginx_that_closes_connections_to_the_instances():
    assert gunicorn("keepalive") > 60  # seconds, nginx's own for its upstreams


@pytest.mark.parametrize("name", INSTANCES)
def test_the_image_is_the_one_of_this_version(name):
    assert INSTANCES[name]["image"] == image_name()
