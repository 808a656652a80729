"""Find the types that generated Kotlin code uses and nothing defines, without a Kotlin compiler."""

import re

BUILT_IN = {
    "Any", "Array", "Boolean", "ByteArray", "Deprecated", "Double", "IllegalStateException", "Int",
    "Iterable", "List", "Long", "Map", "MutableMap", "Set", "String", "Suppress", "Unit",
    "UnsupportedOperationException",
}  # fmt: skip
"""Types that every file of Kotlin for Java knows."""

_COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_IMPORT = re.compile(r"^import ([\w.]+?)\.(\w+)(?: as (\w+))?$", re.MULTILINE)
_DEFINED = re.compile(r"\b(?:class|interface|object|typealias) (\w+)")
_USED = re.compile(r"(?:[:<,]|\bas\b|\bis\b)\s*([A-Z]\w*)\b(?!\()")
_PARAMETER = re.compile(r"<(?:\w+ )?([A-Z])\b")
_CONSTANT = re.compile(r"^\s*(?:@Json\([^)]*\)\s*)?([A-Z]\w*)\(", re.MULTILINE)


def undefined_types(folder):
    """Return the undefined types that models and operations use or import, with the names of the files.

    :param folder: the folder of the generated sources.
    """
    texts = {path: _COMMENT_OR_STRING.sub("", path.read_text()) for path in folder.rglob("*.kt")}
    packages = {}
    for text in texts.values():
        package = re.search(r"^package ([\w.]+)$", text, re.MULTILINE)[1]
        packages.setdefault(package, set()).update(_DEFINED.findall(text))
    found = set()
    for path, text in texts.items():
        if path.parent.name not in ("models", "apis"):
            continue
        package = re.search(r"^package ([\w.]+)$", text, re.MULTILINE)[1]
        imports = _IMPORT.findall(text)
        known = BUILT_IN | packages[package] | {name for one in imports for name in one[1:]}
        known |= {*_PARAMETER.findall(text), *_CONSTANT.findall(text)}
        for star in re.findall(r"^import ([\w.]+)\.\*$", text, re.MULTILINE):
            known |= packages.get(star, set())
        found |= {(name, path.name) for name in _USED.findall(text) if name not in known}
        found |= {
            (f"{of}.{name}", path.name)
            for of, name, _ in imports
            if of in packages and name[0].isupper() and name not in packages[of]
        }
    return sorted(found)
