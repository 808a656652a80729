"""Build the extension in place: python setup.py build_ext --inplace."""

from setuptools import Extension, setup

setup(
    name="skye-core",
    packages=["skye_core"],
    ext_modules=[
        Extension(
            "skye_core._placements",
            [f"src/{part}.c" for part in ("module", "batch", "territory", "points", "placements")],
            depends=["src/core.h"],
            extra_compile_args=["-O3", "-std=c11", "-Wall", "-Wextra"],
            py_limited_api=True,
        )
    ],
)
