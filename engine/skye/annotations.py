"""The annotations of classes in modules that mypyc has compiled."""

import ast
import sys
from pathlib import Path


def restore_annotations(*classes: type) -> None:
    """Give classes the annotations of their sources, which lie beside the compiled modules.

    mypyc keeps no more than the class of each, such as `tuple` for `tuple[str, ...]`. Programs that decode a
    state by its types, as the server does with msgspec, need all. Classes of pure modules stay as they are.
    """
    for kind in classes:
        module = Path(str(sys.modules[kind.__module__].__file__))
        if module.suffix == ".py":
            continue
        source = module.with_name(f"{kind.__module__.rpartition('.')[2]}.py").read_text()
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
                kind.__annotations__.update(_annotations(node))


def _annotations(node: ast.ClassDef) -> dict[str, str]:
    return {
        field.target.id: ast.unparse(field.annotation)
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }
