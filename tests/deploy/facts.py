"""Values in the configuration files, for tests of their agreement."""

import re
import shlex
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"

REDIS_URL = {"SKYE_REDIS_URL": "redis://redis:6379/0"}


def stages():
    """Return the instructions of each stage of the Dockerfile, each as its name and its argument."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, argument = line.split(None, 1)
            if name == "FROM":
                found.append([])
            if found:
                found[-1].append((name, argument))
    return found


def in_stage(stage, name):
    """Return the arguments of the instructions with a name in a stage."""
    return [argument for instruction, argument in stage if instruction == name]


def image_environment():
    """Return the settings of the image."""
    pairs = [pair for line in in_stage(stages()[-1], "ENV") for pair in shlex.split(line)]
    return {name: value for name, value in (pair.split("=", 1) for pair in pairs) if name.startswith("SKYE_")}


def image_user(name=None):
    """Return the numbers of the user and the group that the image runs as.

    :param name: the name of its stage; the last one has none.
    """
    stage = (
        stages()[-1] if name is None else next(one for one in stages() if one[0][1].endswith(f" AS {name}"))
    )
    (user,) = in_stage(stage, "USER")
    return tuple(map(int, user.split(":")))


def image_port():
    """Return the port that the image exposes."""
    (port,) = in_stage(stages()[-1], "EXPOSE")
    return int(port)


def image_name():
    """Return the name of the image, with the version of the package."""
    project = tomllib.loads((ROOT / "service" / "pyproject.toml").read_text())["project"]
    return f"{project['name']}:{project['version']}"


def gunicorn(name):
    """Return a number of gunicorn's configuration."""
    return int(
        re.search(
            rf"(?m)^{name} = (\d+)", (ROOT / "service/skye_server/worker/gunicorn_conf.py").read_text()
        )[1]
    )


def redis_configuration():
    """Return the directives of the Redis of compose and Kubernetes."""
    lines = (DEPLOY / "kubernetes" / "redis" / "redis.conf").read_text().splitlines()
    return dict(line.split(None, 1) for line in lines if line and not line.startswith("#"))
