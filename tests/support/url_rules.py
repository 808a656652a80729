"""Compile each URL rule once for all apps of a process, and what builds its URLs when one is first built.

Werkzeug compiles all rules of each app, which is nearly all of the time that creating an app takes. Tests
create more than a thousand apps with the same rules, and build URLs with few of them.
"""
# ruff: noqa: SLF001 - Werkzeug offers no other way

from werkzeug.routing import Rule

_compile, _compile_builder = Rule.compile, Rule._compile_builder
_compiled_rules = {}


def _compile_once(rule):
    """Compile a rule, or take over what an equal rule of another app was compiled to."""
    domain = rule.map.host_matching, rule.host, rule.subdomain
    key = domain, rule.rule, rule.merge_slashes, tuple(rule.map.converters.items())
    equal = _compiled_rules.get(key)
    if equal is None or rule.defaults:
        _compile(rule)
        if not rule.defaults:
            _compiled_rules[key] = rule
        return
    rule.arguments = equal.arguments
    rule._parts, rule._trace, rule._converters = equal._parts, equal._trace, equal._converters
    rule._build = equal._build.__func__.__get__(rule)
    rule._build_unknown = equal._build_unknown.__func__.__get__(rule)


def _compile_builder_when_called(rule, append_unknown=True):
    compiled = []

    def build(self, **values):
        if not compiled:
            compiled.append(_compile_builder(rule, append_unknown))
        return compiled[0](self, **values)

    return build


def install():
    """Replace the compilation of rules in this process."""
    Rule.compile = _compile_once
    Rule._compile_builder = _compile_builder_when_called
