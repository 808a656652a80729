"""Run the client generators that `make generators` installs, and compile their output."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from skye_server import docs as guide
from tests.contract.checked import OPENAPI_YAML
from tests.support.waiting import MAX_RUN_S

HERE = Path(__file__).parent
PYTHON = HERE / ".venv" / "bin"
NODE = HERE / "node_modules" / ".bin"

STUBS = HERE / "stubs"
"""What clients need and only registries of their languages have, as far as their compilers ask for it."""

GAMES = {name: guide.DOWNLOADS[name].read_text() for name in guide.DOWNLOADS if name.startswith("game_")}
"""The games of the guide by their file."""

_WARNINGS = (
    # Harmless. It is printed for each document of OpenAPI 3.1.
    ("OpenAPI 3.1 support is still in beta", "openapi-generator, all"),
    # Harmless. The Python generator asks every schema that is no reference for its name. The other does
    # so for a union that has a number among its forms, StopAt.
    ("Failed to get the schema name: null", "openapi-generator, python and typescript-fetch"),
    # Harmless. It looks up every form of a union among the models, also the number in StopAt, whose field
    # is an int32 all the same.
    ("int32 (reserved word) cannot be used as model name", "openapi-generator, go"),
    # Harmless. It is printed for each body that is an object and has an example. The comments of Java
    # methods have no such examples.
    ("Ignoring complex example on request body", "openapi-generator, java"),
    # Harmless. It renames what is no Rust identifier, once for each use: media types, all of which
    # contain a slash; the fields type, final and in; and the values of Rotation. The names in JSON stay.
    ("cannot be used as a", "openapi-generator, rust"),
    # Its operations return nothing for the contract in YAML. There is a JSON form of each document.
    ("Unsupported content_type application/yaml", "openapi-python-client"),
    # Harmless. It does not set the type of UnknownEvent, UnknownPlayerEvent, UnknownAction and
    # UnknownRecordedAction to a constant. Their type is any string.
    ("Discriminator mapping has an invalid schema", "openapi-typescript"),
)
"""Warnings that the document cannot avoid, and what prints them. None changes what a client can do."""

NEED_GENERATORS = [
    pytest.mark.full_size,
    pytest.mark.skipif(not PYTHON.exists() or not NODE.exists(), reason="`make generators` was not run"),
]


def unexplained_warnings(lines, generator):
    """Return the warnings among lines that are not listed above.

    :param generator: the name of the generator, or the language of openapi-generator.
    """
    texts = [
        text for text, printed_by in _WARNINGS if {generator, "all"} & set(re.split("[ ,]+", printed_by))
    ]
    assert texts
    return [line for line in lines if not any(text in line for text in texts)]


def run(*command, cwd):
    """Run a command, which must succeed; return its output."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, timeout=MAX_RUN_S)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout + done.stderr


def openapi_generator(name, folder, *properties):
    """Generate a client with openapi-generator."""
    if shutil.which("java") is None:
        pytest.skip("openapi-generator needs java")
    options = ["--additional-properties", ",".join(properties)] if properties else []
    printed = run(
        PYTHON / "openapi-generator-cli",
        "generate",
        "-i",
        OPENAPI_YAML,
        "-g",
        name,
        "-o",
        folder,
        *options,
        cwd=folder,
    )
    warnings = [line for line in printed.splitlines() if " WARN " in line]
    assert unexplained_warnings(warnings, name) == []


def write_game(folder, name):
    """Write a game of the guide; return the name of the file."""
    (folder / name).write_text(GAMES[name])
    return name


def check_typescript(folder, *files):
    """Check types as strictly as the compiler can."""
    options = "--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --skipLibCheck"
    run(NODE / "tsc", *options.split(), "--lib", "es2022,dom,dom.iterable", *files, cwd=folder)


def pydantic_models(folder, python=PYTHON):
    """Generate pydantic models with datamodel-code-generator, as `models.py`.

    :param python: the folder that has the generator.
    """
    options = "--input-file-type openapi --output-model-type pydantic_v2.BaseModel --formatters builtin"
    command = (python / "datamodel-codegen", "--input", OPENAPI_YAML, *options.split())
    assert "warn" not in run(*command, "--output", "models.py", cwd=folder).lower()


def openapi_python_client(folder):
    """Generate the package `skye_client` with openapi-python-client."""
    options = (
        "--meta",
        "none",
        "--output-path",
        "skye_client",
        "--config",
        HERE / "openapi-python-client.yaml",
    )
    command = (PYTHON / "openapi-python-client", "generate", "--path", OPENAPI_YAML)
    printed = run(*command, *options, cwd=folder)
    left_out = re.findall(r"^Cannot parse .*$", printed, re.MULTILINE)
    assert unexplained_warnings(left_out, "openapi-python-client") == []
    assert len(left_out) == printed.count("WARNING ")


def java_class_path(folder, program):
    """Compile the Java client in a folder and a program; return the class path to run it with.

    The jar of openapi-generator contains Jackson, the one library that the client needs.
    """
    jar = next(HERE.glob(".venv/lib/*/site-packages/openapi_generator_cli/openapi-generator.jar"))
    sources = [program, *STUBS.glob("java/**/*.java"), *folder.glob("src/main/java/**/*.java")]
    (folder / "sources.txt").write_text("\n".join(map(str, sources)))
    run("javac", "-nowarn", "-proc:none", "-d", "classes", "-cp", jar, "@sources.txt", cwd=folder)
    return f"{folder / 'classes'}:{jar}"


def check_rust(folder):
    """Check the Rust client in a folder, with stand-ins for the crates that it uses."""
    rustc = ["rustc", "--edition", "2021", "--cap-lints", "allow", "-L", "."]
    for name in ("serde_derive", "serde_repr", "serde", "serde_json", "chrono", "url", "reqwest"):
        kind = "proc-macro" if name in ("serde_derive", "serde_repr") else "lib"
        run(*rustc, "--crate-type", kind, STUBS / "rust" / f"{name}.rs", cwd=folder)
        rustc += ["--extern", name]
    run(*rustc, "--crate-type", "lib", "--emit", "metadata", "src/lib.rs", cwd=folder)
