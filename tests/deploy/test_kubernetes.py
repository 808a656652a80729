"""Agreement between the Kubernetes manifests, which their schemas cannot check."""

import re

import pytest

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

NGINX = "nginx.ingress.kubernetes.io"


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


def test_ingress_backends_are_ports_of_the_service(resources):
    ingresses = of_kind(resources, "Ingress")
    assert ingresses
    for backend in within(ingresses, "backend"):
        service = named(resources, "Service", backend["service"]["name"])
        assert backend["service"]["port"]["name"] in [port["name"] for port in service["spec"]["ports"]]
    for ingress in ingresses:
        hosts = [rule["host"] for rule in ingress["spec"]["rules"]]
        assert hosts == [host for tls in ingress["spec"]["tls"] for host in tls["hosts"]]


def test_ingress_passes_on_every_path_except_metrics(resources):
    routes = {str(rule) for rule in create_app(Settings(redis_url="memory://")).url_map.iter_rules()}
    whole_sites = [one for one in of_kind(resources, "Ingress") if one["metadata"]["name"] == "skye-server"]
    for rule in within(whole_sites, "http"):
        paths = {one["path"]: one["pathType"] == "Prefix" for one in rule["paths"]}

        def passes(route, paths=paths):
            return any(
                route == path or (whole and f"{route}/".startswith(f"{path}/"))
                for path, whole in paths.items()
            )

        assert [route for route in sorted(routes) if not passes(route)] == ["/metrics"]


def annotations(resources, prefix):
    """Return the annotations whose names begin with a prefix, of all resources."""
    return [
        value
        for one in resources
        for name, value in one["metadata"].get("annotations", {}).items()
        if name.startswith(prefix)
    ]


def test_traefik_annotations_name_existing_resources(resources):
    existing = {
        f"{one['metadata'].get('namespace', 'skye')}-{one['metadata']['name']}@kubernetescrd"
        for one in of_kind(resources, "Middleware", "ServersTransport")
    }
    assert set(annotations(resources, "traefik.")) <= existing


def test_ingress_nginx_retries_no_path_with_a_delete(resources):
    rules = create_app(Settings(redis_url="memory://")).url_map.iter_rules()
    paths = [re.sub("<[^>]+>", "x", str(rule)) for rule in rules if "DELETE" in rule.methods]
    ingresses = [one for one in of_kind(resources, "Ingress") if one["spec"]["ingressClassName"] == "nginx"]
    unretried = [one for one in ingresses if "off" in annotations([one], f"{NGINX}/proxy-next-upstream")]
    patterns = list(within(unretried, "path"))
    assert paths
    if ingresses:
        assert [path for path in paths if not any(re.match(one, path) for one in patterns)] == []


def test_ingress_nginx_waits_longer_for_every_stream_and_long_poll(resources):
    rules = create_app(Settings(redis_url="memory://")).url_map.iter_rules()
    paths = [re.sub("<[^>]+>", "x", str(rule)) for rule in rules if "events" in str(rule).split("/")]
    ingresses = [one for one in of_kind(resources, "Ingress") if one["spec"]["ingressClassName"] == "nginx"]
    patient = [one for one in ingresses if "75" in annotations([one], f"{NGINX}/proxy-read-timeout")]
    patterns = list(within(patient, "path"))
    assert len(paths) == 4
    if ingresses:
        assert [path for path in paths if not any(re.match(one, path) for one in patterns)] == []


def test_network_policies_name_ports_of_the_pods(resources):
    for policy in of_kind(resources, "NetworkPolicy"):
        (load,) = selected(resources, policy["spec"]["podSelector"])
        (rule,) = policy["spec"]["ingress"]
        assert all(port["port"] in ports(load) for port in rule["ports"])


def test_network_policy_lets_the_api_call_its_redis(resources):
    egress = named(resources, "NetworkPolicy", "skye-server")["spec"]["egress"]
    allowed = {port["port"] for rule in egress for port in rule["ports"]}
    of_redis = int(redis_configuration()["port"])
    own = [load for load in workloads(resources) if load["metadata"]["name"] == "redis"]
    assert allowed == {53, of_redis} | (set() if own else {26379})  # one outside may have Sentinels
    assert all(ports(load) == {"redis": of_redis} for load in own)


def test_probes_name_existing_ports_and_paths(resources):
    routes = {str(rule) for rule in create_app(Settings(redis_url="memory://")).url_map.iter_rules()}
    for load in workloads(resources):
        for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
            (probe,) = within(load["spec"], kind)
            assert all(port in ports(load) for port in within(probe, "port"))
            assert all(path in routes for path in within(probe, "path"))


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
    assert settings.limits
    assert settings.trusted_proxies == 1  # the ingress


def test_mounted_volumes_exist(resources):
    for load in workloads(resources):
        pod = load["spec"]["template"]["spec"]
        claims = [claim["metadata"]["name"] for claim in load["spec"].get("volumeClaimTemplates", ())]
        volumes = [volume["name"] for volume in pod.get("volumes", ())]
        mounts = [mount["name"] for one in pod["containers"] for mount in one.get("volumeMounts", ())]
        assert sorted(mounts) == sorted(claims + volumes)
        for volume in pod.get("volumes", ()):
            assert "redis.conf" in named(resources, "ConfigMap", volume["configMap"]["name"])["data"]


def test_page_for_operators_creates_every_secret(resources):
    page = (DEPLOY / "README.md").read_text()
    for secret in within(resources, "secretKeyRef"):
        assert f"create secret generic {secret['name']}" in page
        assert f"--from-literal={secret['key']}=" in page
    for ingress in of_kind(resources, "Ingress"):
        assert all(f"create secret tls {tls['secretName']}" in page for tls in ingress["spec"]["tls"])


def test_pod_has_the_user_and_ports_of_the_image(resources, api):
    pod = named(resources, "Deployment", "skye-server")["spec"]["template"]["spec"]
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsGroup"]) == image_user()
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
