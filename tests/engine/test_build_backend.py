"""The build backends of the engine and the gym, and the docstrings in the C code of mypyc."""

import runpy
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
C_CODE = """
static PyMethodDef shopmodule_methods[] = {
    {"buy", (PyCFunction)CPyPy_shop___buy, METH_FASTCALL, PyDoc_STR("buy(tile)\\n--\\n\\n") /* docstring */},
static PyMethodDef shop___Purse_methods[] = {
    {"pay",
     (PyCFunction)CPyPy_shop___Purse___pay,
     METH_FASTCALL | METH_KEYWORDS, PyDoc_STR(NULL)},
static PyGetSetDef shop___Purse_getseters[] = {
    {"gold",
     (getter)shop___Purse_get_gold, NULL,
     NULL, NULL},
static PyTypeObject CPyType_shop___Purse_template_ = {
    .tp_name = "Purse",
    .tp_doc = PyDoc_STR("Purse()\\n--\\n\\n"),
static struct PyModuleDef shopmodule = {
    PyModuleDef_HEAD_INIT,
    "shop",
    NULL, /* docstring */
    cpy_r_r1 = CPyStatics[87]; /* 'mypyc filler docstring' */
        CPy_AddTraceback("shop.py", "<module>", 20, CPyStatic_shop___globals);
"""
SOURCE = '''"""The shop."""


def buy(tile):
    """Buy a "tile"."""


class Purse:
    """Gold."""

    @property
    def gold(self):
        """The gold in it."""

    def pay(self):
        """Pay."""


@tuple_of_names
class Price:
    """A price."""
'''


@pytest.mark.parametrize("project", ["engine", "gym"])
@pytest.mark.parametrize(("value", "required"), [("1", ["mypy"]), ("0", []), (None, [])])
def test_compiled_wheels_alone_require_the_compiler(project, value, required, monkeypatch):
    monkeypatch.delenv("SKYE_COMPILE", raising=False)
    if value is not None:
        monkeypatch.setenv("SKYE_COMPILE", value)
    hooks = runpy.run_path(str(REPOSITORY / project / "build_backend.py"))
    for hook in (
        "get_requires_for_build_wheel",
        "get_requires_for_build_editable",
        "get_requires_for_build_sdist",
    ):
        assert [each.partition(">")[0] for each in hooks[hook]()] == required
    assert {"build_wheel", "build_sdist", "build_editable"} <= hooks.keys()


def test_build_backends_are_the_same():
    engine, gym = (REPOSITORY / project / "build_backend.py" for project in ("engine", "gym"))
    assert engine.read_text() == gym.read_text()


@pytest.fixture
def keep_docstrings(tmp_path, monkeypatch):
    """The function, in a folder with a module."""
    pytest.importorskip("mypyc", reason="mypy is not installed: its C code is not tested")
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SOURCE)
    return runpy.run_path(str(REPOSITORY / "engine" / "compiled_docstrings.py"))["keep_docstrings"]


def test_docstrings_are_written_into_the_code_of_mypyc(keep_docstrings):
    Path("shop.c").write_text(C_CODE)
    keep_docstrings(["shop.py"], ["shop.c"])
    code = Path("shop.c").read_text()
    for text in (
        r'PyDoc_STR("buy(tile)\n--\n\n""Buy a \"tile\".") /* docstring */',
        'PyDoc_STR("Pay.")},',
        '"The gold in it.", NULL},',
        r'.tp_doc = PyDoc_STR("Purse()\n--\n\n""Gold."),',
        '"The shop.", /* docstring */',
        'cpy_r_r1 = PyUnicode_FromString("A price.");',
    ):
        assert text in code


def test_code_without_a_place_for_a_docstring_is_refused(keep_docstrings):
    Path("shop.c").write_text(C_CODE.replace("mypyc filler docstring", "another filler"))
    with pytest.raises(ValueError, match="no place for 1 docstrings, such as: A price"):
        keep_docstrings(["shop.py"], ["shop.c"])
