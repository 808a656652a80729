"""The Kubernetes manifests, as written and as kustomize builds them, with functions to search them."""

import re
import shutil
import subprocess

import yaml

from tests.deploy.facts import DEPLOY
from tests.support.waiting import MAX_RUN_S

FOLDER = DEPLOY / "kubernetes"
OVERLAYS = sorted(path.name for path in (FOLDER / "overlays").iterdir())

_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(m|k|[KMGT]i?)?")
_UNITS = {None: 1, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_UNITS |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def kubectl():
    """Return the program that builds overlays, or None."""
    return shutil.which("kubectl")


def built(overlay):
    """Return the resources that kustomize makes of an overlay."""
    command = [kubectl(), "kustomize", FOLDER / "overlays" / overlay]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MAX_RUN_S)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def written():
    """Return the resources of all files, before anything is made of them."""
    found, config_maps = [], {}
    for path in sorted([*FOLDER.rglob("*.yaml"), *(DEPLOY / "nginx").glob("*.yaml")]):
        for document in yaml.safe_load_all(path.read_text()):
            if path.name == "kustomization.yaml":
                for generator in document.get("configMapGenerator", ()):
                    config_maps.setdefault(generator["name"], {}).update(_data(generator))
            elif isinstance(document, dict):  # a list is a patch
                found.append(document)
    return found + [_config_map(name, data) for name, data in config_maps.items()]


def _data(generator):
    literals = dict(literal.split("=", 1) for literal in generator.get("literals", ()))
    return literals | dict.fromkeys(generator.get("files", ()), "")


def _config_map(name, data):
    return {"kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def of_kind(resources, *kinds):
    """Return the resources of some kinds."""
    return [resource for resource in resources if resource["kind"] in kinds]


def named(resources, kind, name):
    """Return the one resource of a kind and name."""
    (found,) = (one for one in of_kind(resources, kind) if one["metadata"]["name"] == name)
    return found


def workloads(resources):
    """Return the resources that create pods."""
    return of_kind(resources, "Deployment", "StatefulSet")


def containers(resources):
    """Return every container."""
    return [one for load in workloads(resources) for one in load["spec"]["template"]["spec"]["containers"]]


def selected(resources, selector):
    """Return the workloads whose pods have all labels of a selector."""
    wanted = selector.get("matchLabels", selector).items()
    return [
        load
        for load in workloads(resources)
        if wanted <= load["spec"]["template"]["metadata"]["labels"].items()
    ]


def ports(workload):
    """Return the ports of a workload's containers, by name."""
    pod = workload["spec"]["template"]["spec"]
    return {port["name"]: port["containerPort"] for one in pod["containers"] for port in one.get("ports", ())}


def within(value, key):
    """Yield the values of a key at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key:
                yield inner
            yield from within(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from within(inner, key)


def quantity(text):
    """Return the number that a quantity such as `512Mi` stands for."""
    found = _QUANTITY.fullmatch(str(text))
    assert found, f"{text!r} is no quantity"
    return float(found[1]) * _UNITS[found[2]]
