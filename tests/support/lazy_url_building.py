"""Compile what builds the URLs of a rule when a URL is first built, not when an app is created.

Werkzeug compiles two functions for each rule, which is nine tenths of the time that creating an app takes.
Tests create more than a thousand apps, and build URLs with few of them.
"""

from werkzeug.routing import Rule

_compile_builder = Rule._compile_builder  # noqa: SLF001 - Werkzeug offers no other way


def _compiled_when_called(rule, append_unknown=True):
    compiled = []

    def build(self, **values):
        if not compiled:
            compiled.append(_compile_builder(rule, append_unknown))
        return compiled[0](self, **values)

    return build


def install():
    """Let all rules of this process compile lazily."""
    Rule._compile_builder = _compiled_when_called  # noqa: SLF001 - as above
