"""What mypyc drops of classes: the annotations of fields, and the signatures of methods of named tuples."""

import ast
import sys
from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any


def restore_annotations(*classes: type) -> None:
    """Give classes of compiled modules what their sources say, which lie beside the modules.

    mypyc keeps no more than the class of each annotation, such as `tuple` for `tuple[str, ...]`. Programs
    that decode a state by its types, as the server does with msgspec, need all. The public methods of named
    tuples become functions, with the name and the signature that `help` needs. Classes of pure modules stay
    as they are.
    """
    for kind in classes:
        module = Path(str(sys.modules[kind.__module__].__file__))
        if module.suffix == ".py":
            continue
        source = module.with_name(f"{kind.__module__.rpartition('.')[2]}.py").read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
                kind.__annotations__.update(_annotations(node))
                _restore_methods(kind, node)


def _annotations(node: ast.ClassDef) -> dict[str, str]:
    return {
        field.target.id: ast.unparse(field.annotation)
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }


def _restore_methods(kind: type, node: ast.ClassDef) -> None:
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
            compiled = vars(kind)[method.name]
            if isinstance(compiled, classmethod):
                setattr(kind, method.name, classmethod(_function(kind, method, compiled.__func__)))
            elif callable(compiled) and not hasattr(compiled, "__name__"):
                setattr(kind, method.name, _function(kind, method, compiled))


def _function(kind: type, node: ast.FunctionDef, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the name, docstring and annotations of a source, which calls a compiled one."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return compiled(*args, **kwargs)

    types = {each.arg: ast.unparse(each.annotation) for each in node.args.args if each.annotation}
    returned = {"return": ast.unparse(node.returns)} if node.returns else {}
    function.__name__, function.__qualname__ = node.name, f"{kind.__qualname__}.{node.name}"
    function.__module__, function.__doc__ = kind.__module__, ast.get_docstring(node)
    function.__annotations__ = types | returned
    parameters = [
        Parameter(each.arg, Parameter.POSITIONAL_OR_KEYWORD, annotation=types.get(each.arg, Parameter.empty))
        for each in node.args.args
    ]
    signature = Signature(parameters, return_annotation=returned.get("return", Signature.empty))
    vars(function)["__signature__"] = signature
    return function
