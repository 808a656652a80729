"""Generate `skye_client/_sync` and `skye_client/models.py`.

    python generate.py           write both
    python generate.py --check   exit with 1 if either has drifted

The synchronous client is the asynchronous one without `async` and `await` (as in httpcore). The models are
TypedDicts of the contract, so that fields newer than this client pass through; unions have the types of this
version only.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "skye_client"
CONTRACT = HERE.parents[1] / "openapi.yaml"

TOKENS = {
    "AsyncByteStream": "SyncByteStream",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "anext": "next",
    "__aexit__": "__exit__",
    "aclosing": "closing",
    "aclose": "close",
    "aread": "read",
    "aiter_bytes": "iter_bytes",
    "aiter_lines": "iter_lines",
    "aiter_sse": "iter_sse",
    "anyio": "time",
    "_async": "_sync",
}
_WORD = re.compile(r"\b(?:" + "|".join(TOKENS) + r"|Async(?=[A-Z])\w+|async |await )")


def synchronous(source: str) -> str:
    """Return the synchronous form of a module."""
    source = source.replace(
        "import anyio\n", "" if re.search(r"^import time$", source, re.MULTILINE) else "import time\n"
    )
    source = source.replace("The asynchronous client.", "The synchronous client.")

    source = re.sub(r"AsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]", source)

    def word(match: re.Match[str]) -> str:
        found = match[0]
        if found in ("async ", "await "):
            return ""
        return TOKENS.get(found, found.removeprefix("Async"))

    return _WORD.sub(word, source)


def formatted(source: str, name: str) -> str:
    """Return a module with its imports sorted, in the form of the project."""
    for command in (["check", "--select", "I", "--fix"], ["format"]):
        run = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", str(PACKAGE / name), "-"],
            input=source,
            capture_output=True,
            text=True,
            check=True,
        )
        source = run.stdout
    return source


def models() -> str:
    """Return the module of the models."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "models.py"
        command = [
            sys.executable,
            "-m",
            "datamodel_code_generator",
            "--input",
            str(CONTRACT),
            "--output",
            str(target),
        ]
        options = [
            *("--input-file-type", "openapi", "--output-model-type", "typing.TypedDict"),
            *("--target-python-version", "3.11", "--disable-timestamp"),
            *("--enum-field-as-literal", "all", "--use-standard-collections", "--use-union-operator"),
            *("--no-use-closed-typed-dict", "--formatters", "builtin"),
        ]
        subprocess.run([*command, *options], check=True)
        return closed(target.read_text(encoding="utf-8"))


def closed(source: str) -> str:
    """Return the module with unions of known types only, by whose `type` type checkers narrow them.

    The types of each union follow, for `is_known`.
    """
    schemas = yaml.load(CONTRACT.read_text(encoding="utf-8"), yaml.CSafeLoader)["components"]["schemas"]
    mappings = {name: schema.get("discriminator", {}).get("mapping", {}) for name, schema in schemas.items()}
    known = {
        union: sorted(name for name in mapping if not name.startswith("Unknown"))
        for union, mapping in mappings.items()
        if any(name.startswith("Unknown") for name in mapping)
    }
    sets = ", ".join(f"{union!r}: frozenset({types})" for union, types in known.items())
    source = re.sub(r"\s*\|\s*Unknown\w+\b", "", source)
    source = source.replace(" Literal,", " Final, Literal,", 1)
    return f"{source}\nTYPES: Final[dict[str, frozenset[str]]] = {{{sets}}}\n"


def generated() -> dict[Path, str]:
    """Return every generated file with its text."""
    files = {PACKAGE / "models.py": formatted(models(), "models.py")}
    for path in sorted((PACKAGE / "_async").glob("*.py")):
        files[PACKAGE / "_sync" / path.name] = formatted(
            synchronous(path.read_text(encoding="utf-8")), f"_sync/{path.name}"
        )
    return files


def main() -> int:
    """Write the generated files, or compare them."""
    files = generated()
    drifted = [
        path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" not in sys.argv:
        for path, text in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return 0
    for path in drifted:
        sys.stderr.write(f"{path.relative_to(HERE)} has drifted: run `make clients`.\n")
    return bool(drifted)


if __name__ == "__main__":
    sys.exit(main())
