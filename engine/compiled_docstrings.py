"""Write docstrings into the C code of mypyc, which leaves them out, before it is compiled.

`setup.py` of the engine and of the gym call `keep_docstrings` after `mypycify`, which writes the C code.
Where a docstring belongs, mypyc writes the signature of a function or class, NULL, or a filler. Signatures
stay, since `inspect.signature` reads them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

_MODULE = re.compile(r'static struct PyModuleDef (\w+)module = \{\s*PyModuleDef_HEAD_INIT,\s*"([\w.]+)"')
_STRUCT = re.compile(r"static struct PyModuleDef (\w+)module = \{")
_TABLE = re.compile(
    r"static (?:PyMethodDef|PyGetSetDef|PyTypeObject) (?:CPyType_)?"
    r"(?:(?P<of_module>\w+)module_methods|(?P<of_class>\w+?)_(?:methods|getseters|template_))(?:\[\])? = \{"
)
_ENTRY = re.compile(r'\s*(?:\{|\.tp_name = )"(\w+)",')
_DOCSTRING = re.compile(r'PyDoc_STR\((?:NULL|("(?:[^"\\]|\\.)*"))\)')
_OF_PROPERTY = re.compile(r"\bNULL(?=, NULL\},$)")
_OF_MODULE = re.compile(r"NULL(?=, /\* docstring \*/)")
_FILLER = re.compile(r"\w+\[\d+\](?=; /\* 'mypyc filler docstring' \*/)")
_LINE_OF_CLASS = re.compile(r'CPy_AddTraceback\("([^"]+)", "<module>", (\d+),')


class _Docstrings:
    """The docstrings of a module.

    :param source: the path of the module.
    """

    def __init__(self, source: str) -> None:
        tree = ast.parse(Path(source).read_text(encoding="utf-8"))
        self.of_module = ast.get_docstring(tree)
        self.of_function: dict[tuple[str, str], str | None] = {}
        """By class ("" for the functions of the module) and name."""
        self.of_type: dict[str, str | None] = {}
        """By the name of a type: a class, or what mypyc makes of a method of a named tuple."""
        self.of_line: dict[int, str | None] = {}
        """By each line from the first decorator of a class to its name."""
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.of_function["", node.name] = ast.get_docstring(node)
            elif isinstance(node, ast.ClassDef):
                self._add_class(node)

    def _add_class(self, node: ast.ClassDef) -> None:
        text = ast.get_docstring(node)
        first = min([node.lineno, *[each.lineno for each in node.decorator_list]])
        self.of_type[node.name] = text
        self.of_line |= dict.fromkeys(range(first, node.lineno + 1), text)
        for function in node.body:
            if isinstance(function, ast.FunctionDef):
                of_function = ast.get_docstring(function)
                self.of_function[node.name, function.name] = of_function
                self.of_type[f"{function.name}_{node.name}_obj"] = of_function


def keep_docstrings(sources: Iterable[str], c_files: Iterable[str]) -> None:
    """Write the docstrings of modules into the C files that mypyc has written for them.

    :param sources: the paths of the modules, relative to the folder of their packages.
    :raises ValueError: when docstrings of modules and classes have no place: this mypyc writes other C code.
    """
    modules = {source: _Docstrings(source) for source in sources}
    written: set[str] = set()
    for path in map(Path, c_files):
        text = path.read_text(encoding="utf-8")
        path.write_text(_with_docstrings(text, modules, written), encoding="utf-8")
    expected = [text for each in modules.values() for text in (each.of_module, *each.of_type.values())]
    missing = sorted({text for text in expected if text} - written)
    if missing:
        raise ValueError(f"mypyc has no place for {len(missing)} docstrings, such as: {missing[0]}")


def _with_docstrings(code: str, modules: dict[str, _Docstrings], written: set[str]) -> str:
    places = _Places(code, modules)
    lines = code.split("\n")
    for number, line in enumerate(lines):
        places.read(line)
        if found := _FILLER.search(line):
            place = next(filter(None, map(_LINE_OF_CLASS.search, lines[number:])))
            text, before, after = modules[place[1]].of_line.get(int(place[2])), "PyUnicode_FromString(", ")"
        elif found := _DOCSTRING.search(line):
            text, before, after = places.docstring(), f"PyDoc_STR({found[1] or ''}", ")"
        elif found := _OF_PROPERTY.search(line):
            text, before, after = places.docstring(), "", ""
        elif found := _OF_MODULE.search(line):
            text, before, after = places.module and places.module.of_module, "", ""
        if found and text:
            lines[number] = f"{line[: found.start()]}{before}{_literal(text)}{after}{line[found.end() :]}"
            written.add(text)
    return "\n".join(lines)


class _Places:
    """The place in the C code: the module, the class and the name of what a line describes.

    :param code: the C code.
    :param modules: the docstrings by path of the module.
    """

    def __init__(self, code: str, modules: dict[str, _Docstrings]) -> None:
        self._of_prefix = {
            prefix: modules[f"{name.replace('.', '/')}.py"] for prefix, name in _MODULE.findall(code)
        }
        self.module: _Docstrings | None = None
        self._owner = ""
        self._name = ""
        self._is_type = False

    def read(self, line: str) -> None:
        """Read a line of the code."""
        if table := _TABLE.search(line):
            exported = table["of_class"] or ""
            prefix = table["of_module"] or _module_of(exported, self._of_prefix)
            self.module = self._of_prefix.get(prefix)
            self._owner = exported[len(prefix) + len("___") :]
            self._is_type = line.lstrip().startswith("static PyTypeObject")
        elif struct := _STRUCT.search(line):
            self.module = self._of_prefix[struct[1]]
        elif entry := _ENTRY.match(line):
            self._name = entry[1]

    def docstring(self) -> str | None:
        """Return the docstring of the function, the property or the type."""
        if self.module is None:
            return None
        if self._is_type:
            return self.module.of_type.get(self._name)
        return self.module.of_function.get((self._owner, self._name))


def _module_of(exported: str, prefixes: Iterable[str]) -> str:
    """Return the prefix of the module that has a class; "" when none has it."""
    return max([prefix for prefix in prefixes if exported.startswith(f"{prefix}___")], key=len, default="")


def _literal(text: str) -> str:
    from mypyc.codegen.cstring import c_string_initializer  # noqa: PLC0415 - only needed to compile

    return c_string_initializer(text.encode())
