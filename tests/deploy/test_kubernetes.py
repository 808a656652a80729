"""Agreement between the Kubernetes manifests, which their schemas cannot check."""

import re

import pytest
import yaml

from skye_server import create_app
from skye_server.settings import Settings, unknown_variables
from tests.deploy import manifests
from tests.deploy.facts import (
    DEPLOY,
    REDIS_URL,
    gunicorn,
    image_environment,
    image_name,
    image_port,
    image_user,
    redis_configuration,
)
from tests.deploy.manifests import containers, named, of_kind, ports, quantity, selected, within, workloads
from tests.support.missing_programs import NO_KUBECTL

KUBERNETES_NGINX = manifests.FOLDER / "nginx"


@pytest.fixture(scope="module", params=["written", *manifests.OVERLAYS])
def resources(request):
    """All resources: as they are written, and as kustomize builds each overlay."""
    if request.param == "written":
        return manifests.written()
    if manifests.kubectl() is None:
        pytest.skip(NO_KUBECTL)
    return manifests.built(request.param)


@pytest.fixture(scope="module")
def api(resources):
    """The container of the API."""
    (container,) = (one for one in containers(resources) if one["name"] == "api")
    return container


def test_selector_of_a_workload_matches_its_own_pods_only(resources):
    for load in workloads(resources):
        assert selected(resources, load["spec"]["selector"]) == [load]
        assert all(spread["labelSelector"] == load["spec"]["selector"] for spread in spreads(load))


def spreads(load):
    return load["spec"]["template"]["spec"].get("topologySpreadConstraints", ())


def test_every_selector_matches_the_pods_of_one_workload(resources):
    services = [one["spec"]["selector"] for one in of_kind(resources, "Service")]
    budgets = [one["spec"]["selector"] for one in of_kind(resources, "PodDisruptionBudget")]
    policies = list(within(of_kind(resources, "NetworkPolicy"), "podSelector"))
    for selector in services + budgets + policies:
        assert len(selected(resources, selector)) == 1, selector


def test_target_ports_of_a_service_are_ports_of_its_pods(resources):
    for service in of_kind(resources, "Service"):
        (load,) = selected(resources, service["spec"]["selector"])
        assert all(port["targetPort"] in ports(load) for port in service["spec"]["ports"])


def test_nginx_upstreams_are_the_port_of_the_headless_service(resources):
    found = set()
    for name in ("skye-server", "skye-mcp"):
        service = named(resources, "Service", name)
        (load,) = selected(resources, service["spec"]["selector"])
        assert service["spec"]["clusterIP"] == "None"  # nginx finds every pod, and can leave one out
        port = ports(load)[
            service["spec"]["ports"][0]["targetPort"]
        ]  # a headless Service translates no ports
        found.add(f"{name}.skye.svc.cluster.local:{port}")
    servers = re.findall(r"server (\S+) resolve", (KUBERNETES_NGINX / "upstream.conf").read_text())
    assert set(servers) == found


def test_nginx_upstreams_have_the_directives_of_compose():
    def directives(folder):
        text = (folder / "upstream.conf").read_text()
        groups = re.findall(r"upstream \w+ \{(.*?)\}", text, re.DOTALL)
        return [set(re.sub(r"server \S+( resolve)?|zone .*;", "", group).split("\n")) for group in groups]

    assert directives(KUBERNETES_NGINX) == directives(DEPLOY / "nginx")


def test_nginx_pod_mounts_the_files_that_compose_mounts(resources):
    pod = named(resources, "Deployment", "nginx")["spec"]["template"]["spec"]
    (name,) = (volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume)
    configuration = named(resources, "ConfigMap", name)["data"]
    (container,) = pod["containers"]
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["nginx"]
    assert configuration.keys() == {path.name for path in (DEPLOY / "nginx").glob("*.conf")}
    assert container["command"] == compose["entrypoint"]
    assert container["image"] == compose["image"]


def test_nginx_listens_at_the_port_of_its_pod(resources):
    load = named(resources, "Deployment", "nginx")
    (port,) = ports(load).values()
    text = (KUBERNETES_NGINX / "listen.conf").read_text().replace("$server_port", str(port))
    assert re.findall(r"(?m)^listen (\d+)", text) == [str(port)]
    certificates = re.findall(r"ssl_certificate\w* (/\S+)/", text)
    assert len(certificates) == 2
    assert set(certificates) <= set(within(load["spec"], "mountPath"))


def test_clients_reach_nginx_only_and_keep_their_address(resources):
    (service,) = (one for one in of_kind(resources, "Service") if "type" in one["spec"])
    assert service["metadata"]["name"] == "nginx"
    assert service["spec"]["externalTrafficPolicy"] == "Local"
    policy = named(resources, "NetworkPolicy", "skye-server")["spec"]["ingress"]
    assert [port["port"] for port in policy[0]["ports"]] == ["http"]
    assert selected(resources, policy[0]["from"][0]["podSelector"]) == [
        named(resources, "Deployment", "nginx")
    ]
    assert [port["port"] for port in policy[1]["ports"]] == ["health", "dispatch"]


def test_network_policies_name_ports_of_the_pods(resources):
    for policy in of_kind(resources, "NetworkPolicy"):
        (load,) = selected(resources, policy["spec"]["podSelector"])
        assert all(
            port["port"] in ports(load) for rule in policy["spec"]["ingress"] for port in rule["ports"]
        )


def test_network_policy_lets_the_api_call_its_redis(resources):
    egress = named(resources, "NetworkPolicy", "skye-server")["spec"]["egress"]
    allowed = {port["port"] for rule in egress for port in rule["ports"]}
    of_redis = int(redis_configuration()["port"])
    own = [load for load in workloads(resources) if load["metadata"]["name"] == "redis"]
    of_webhooks = {443, 8443}
    assert allowed == {53, of_redis} | of_webhooks | (set() if own else {26379})  # one outside: Sentinels
    (public,) = [peer["ipBlock"] for rule in egress for peer in rule.get("to", ()) if "ipBlock" in peer]
    assert {"10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"} <= {*public["except"]}
    assert all(ports(load) == {"redis": of_redis} for load in own)


def test_probes_name_existing_ports_and_paths(resources):
    routes = {str(rule) for rule in create_app(Settings(redis_url="memory://")).url_map.iter_rules()}
    for load in workloads(resources):
        for kind in ("readinessProbe", "livenessProbe"):
            assert len(list(within(load["spec"], kind))) == 1
        (pod,) = within(load["spec"], "containers")
        assert all(port in ports(load) for port in within(pod, "port"))
        assert all(path in routes for path in within(pod, "path"))
        if "skye" in load["metadata"]["name"]:  # a pod that must not use its Redis gets no requests
            (readiness,), (liveness,) = (within(pod, f"{kind}Probe") for kind in ("readiness", "liveness"))
            assert {*within(readiness, "path")} <= {"/readyz"}
            assert "/readyz" not in {*within(liveness, "path")}


def test_resource_quantities_are_valid(resources):
    for kind in ("requests", "limits"):
        for amounts in within(resources, kind):
            assert all(quantity(amount) > 0 for amount in amounts.values())
    assert all(quantity(amount) > 0 for amount in within(resources, "averageValue"))


def test_redis_memory_limit_is_twice_its_maxmemory(resources):
    unit = {"mb": 2**20, "gb": 2**30}
    text = redis_configuration()["maxmemory"]
    for container in containers(resources):
        if container["name"] == "redis":
            assert (
                quantity(container["resources"]["limits"]["memory"]) >= 2 * int(text[:-2]) * unit[text[-2:]]
            )


def test_settings_of_the_pods_are_valid(resources, api):
    environment = image_environment() | REDIS_URL
    for source in api["envFrom"]:
        environment |= named(resources, "ConfigMap", source["configMapRef"]["name"])["data"]
    assert [variable["name"] for variable in api["env"]] == list(REDIS_URL)
    assert unknown_variables(environment) == []
    settings = Settings.from_environment(environment)
    assert settings.is_limited
    assert settings.trusted_proxies == 1  # nginx


def test_mounted_volumes_exist(resources):
    for load in workloads(resources):
        pod = load["spec"]["template"]["spec"]
        claims = [claim["metadata"]["name"] for claim in load["spec"].get("volumeClaimTemplates", ())]
        volumes = [volume["name"] for volume in pod.get("volumes", ())]
        mounts = [mount["name"] for one in pod["containers"] for mount in one.get("volumeMounts", ())]
        assert sorted(mounts) == sorted(claims + volumes)
        for volume in pod.get("volumes", ()):
            if "configMap" in volume:
                data = named(resources, "ConfigMap", volume["configMap"]["name"])["data"]
                assert f"{load['metadata']['name']}.conf" in data


def test_restore_from_standard_input_has_a_writable_folder(api):
    assert "/tmp" in {mount["mountPath"] for mount in api["volumeMounts"]}


def test_page_for_operators_creates_every_secret(resources):
    page = (DEPLOY / "README.md").read_text()
    for secret in within(resources, "secretKeyRef"):
        assert f"create secret generic {secret['name']}" in page
        assert f"--from-literal={secret['key']}=" in page
    assert all(f"create secret tls {name}" in page for name in within(resources, "secretName"))


def test_pod_has_the_user_and_ports_of_the_image(resources, api):
    pod = named(resources, "Deployment", "skye-server")["spec"]["template"]["spec"]
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsGroup"]) == image_user()
    for agents in [load for load in workloads(resources) if load["metadata"]["name"] == "skye-mcp"]:
        context = agents["spec"]["template"]["spec"]["securityContext"]
        assert (context["runAsUser"], context["runAsGroup"]) == image_user("mcp")
    assert [port["containerPort"] for port in api["ports"]] == [image_port(), image_port() + 1]
    assert api["image"] in (image_name(), image_name().split(":")[0])


def test_pods_run_without_privileges(resources):
    for load in workloads(resources):
        pod = load["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


def test_termination_grace_period_exceeds_the_graceful_timeout(resources, api):
    pod = named(resources, "Deployment", "skye-server")["spec"]["template"]["spec"]
    _, before = api["lifecycle"]["preStop"]["exec"]["command"]
    assert pod["terminationGracePeriodSeconds"] > int(before) + gunicorn("graceful_timeout")


def test_replicas_come_from_a_number_or_an_autoscaler(resources, request):
    scaled = [scaler["spec"]["scaleTargetRef"] for scaler in of_kind(resources, "HorizontalPodAutoscaler")]
    for target in scaled:
        load = named(resources, target["kind"], target["name"])
        assert load["apiVersion"] == target["apiVersion"]
        assert "replicas" not in load["spec"]
    if "written" not in request.node.name and not scaled:
        assert named(resources, "Deployment", "skye-server")["spec"]["replicas"] >= 2
