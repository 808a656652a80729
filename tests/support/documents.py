"""Generate each document of the contract once for all apps of a process that have the same operations."""
# ruff: noqa: SLF001 - the documents of an app have no other seam

from skye_server.openapi import Contract

_generate = Contract._text
texts = {}
"""The documents generated so far, by their names and the blueprints that they describe."""


def _generate_once(contract, name):
    described = name, *contract._blueprints
    if described not in texts:
        texts[described] = _generate(contract, name)
    return texts[described]


def install():
    """Replace the generation of documents in this process."""
    Contract._text = _generate_once
