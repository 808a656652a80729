"""Agreement of compose.yaml with the files that it mounts, which no schema can check."""

import re

import pytest
import yaml

from skye_server.settings import Settings, unknown_variables
from tests.deploy.facts import (
    DEPLOY,
    gunicorn,
    image_environment,
    image_name,
    image_user,
)

NGINX = DEPLOY / "nginx"


def with_defaults(value):
    """Replace each `${NAME:-default}` by its default."""
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
    """Return the sockets of each upstream group of nginx."""
    groups = re.findall(r"upstream (\w+) \{(.*?)\}", (NGINX / "upstream.conf").read_text(), re.DOTALL)
    return {name: set(re.findall(r"server unix:(\S+)", group)) for name, group in groups}


@pytest.mark.parametrize("name", INSTANCES)
def test_compose_settings_of_an_instance_are_valid(name):
    environment = image_environment() | INSTANCES[name]["environment"]
    assert unknown_variables(environment) == []
    settings = Settings.from_environment(environment)
    assert settings.trusted_proxies == 1
    assert settings.is_limited


def test_nginx_upstreams_hold_the_sockets_of_all_instances():
    sockets = {bind.removeprefix("unix:") for one in INSTANCES.values() for bind in option(one, "bind")}
    assert len(sockets) == len(INSTANCES) == 2
    of_mcp = {socket for name in ("mcp-a", "mcp-b") for socket in option(SERVICES[name], "http")}
    of_mcp = {socket.removeprefix("unix:") for socket in of_mcp}
    assert upstreams() == {"skye": sockets, "skye_once": sockets, "skye_mcp": of_mcp}
    assert set(re.findall(r"proxy_pass http://(\w+);", (NGINX / "nginx.conf").read_text())) == set(
        upstreams()
    )


def test_each_kind_of_server_has_a_folder_of_sockets_of_its_own():
    agents = (SERVICES["mcp-a"], SERVICES["mcp-b"])
    kinds = {
        "sockets:/run/skye": (INSTANCES.values(), image_user()),
        "mcp-sockets:/run/skye-mcp": (agents, image_user("mcp")),
    }
    assert kinds["sockets:/run/skye"][1] != kinds["mcp-sockets:/run/skye-mcp"][1]
    for volume, (services, (user, group)) in kinds.items():
        others = [one for one in SERVICES.values() if one not in [*services]]
        assert [volume in one.get("volumes", ()) for one in others] == [
            one is SERVICES["nginx"] for one in others
        ]
        for service in services:
            assert volume in service["volumes"]
            assert service.get("user", f"{user}:{group}") == f"{user}:{group}"
        options = COMPOSE["volumes"][volume.split(":")[0]]["driver_opts"]["o"].split(",")
        assert {*options} == {f"uid={user}", f"gid={group}", "mode=0755"}


def test_published_port_is_the_one_that_nginx_listens_on():
    (published,) = SERVICES["nginx"]["ports"]
    port = published.rpartition(":")[2]
    assert re.findall(r"(?m)^listen (\d+)", (NGINX / "listen.conf").read_text())[0] == port
    assert f"http://127.0.0.1:{port}/healthz" in SERVICES["nginx"]["healthcheck"]["test"]


def test_only_the_mcp_server_reaches_the_port_that_trusts_it():
    _, port = re.findall(r"(?m)^listen (\d+)", (NGINX / "listen.conf").read_text())
    assert f'"~^{port}:' in (NGINX / "nginx.conf").read_text()
    for service in SERVICES.values():
        assert not any(port in published for published in service.get("ports", ()))
    agents = [SERVICES["mcp-a"], SERVICES["mcp-b"]]
    assert {url for one in agents for url in option(one, "server")} == {f"http://nginx:{port}"}
    assert [option(one, "trusted-proxies") for one in agents] == [["1"], ["1"]]
    of_front = {name for name, one in SERVICES.items() if "front" in one.get("networks", ())}
    assert of_front == {"mcp-a", "mcp-b", "nginx"}


def test_mounted_and_included_files_exist():
    for service in SERVICES.values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
    for name in re.findall(r"(?m)^\s*include (\S+);", (NGINX / "nginx.conf").read_text()):
        assert (NGINX / name).is_file()


@pytest.mark.parametrize("name", SERVICES)
def test_compose_services_run_without_privileges(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert name in INSTANCES or int(service["user"].split(":")[0]) > 0  # the image sets its own


def test_services_that_others_wait_for_have_health_checks():
    awaited = {name for service in SERVICES.values() for name in service.get("depends_on", ())}
    assert awaited == {"api-a", "api-b", "redis"}
    for name in awaited:
        assert SERVICES[name]["healthcheck"]["test"]


def test_redis_shares_a_network_with_the_api_only():
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert SERVICES["redis"]["networks"] == ["back"]
    assert "ports" not in SERVICES["redis"]
    assert "back" not in SERVICES["nginx"]["networks"]


@pytest.mark.parametrize("name", INSTANCES)
def test_instances_have_the_password_of_redis(name):
    command = SERVICES["redis"]["command"]
    password = command[command.index("--requirepass") + 1]
    assert INSTANCES[name]["environment"]["SKYE_REDIS_URL"] == f"redis://:{password}@redis:6379/0"
    assert SERVICES["redis"]["environment"]["REDISCLI_AUTH"] == password


@pytest.mark.parametrize("name", INSTANCES)
def test_stop_grace_period_exceeds_the_graceful_timeout(name):
    assert int(INSTANCES[name]["stop_grace_period"].removesuffix("s")) > gunicorn("graceful_timeout")


@pytest.mark.parametrize("name", INSTANCES)
def test_compose_image_has_the_version_of_the_package(name):
    assert INSTANCES[name]["image"] == image_name()
