"""What the laboratory adds to a server with `SKYE_LAB=on`; on others its routes refuse each request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from skye_server.features import ErrorCode, Feature, Joined

if TYPE_CHECKING:
    from flask import Blueprint, Flask

    from skye_server.http.framework import Host
    from skye_server.settings import Settings
    from skye_server.store.redis_store import RedisStore


def _blueprints() -> Mapping[Blueprint, str]:
    from skye_server.lab import routes  # noqa: PLC0415 - it depends on what this module adds

    return {
        routes.blueprint: "For testers, only on servers with `SKYE_LAB=on`: injected faults, a clock that "
        "can be advanced, and deletion of all games. Every response of such a server has the header "
        "`Skye-Lab: on`."
    }


def _register(app: Flask, settings: Settings) -> None:
    if settings.lab:
        from skye_server.lab import fault_injection  # noqa: PLC0415

        fault_injection.register(app)


def _clock(settings: Settings, store: RedisStore, clock: Callable[[], float]) -> Callable[[], float]:
    if not settings.lab:
        return clock
    from skye_server.lab.store import Laboratory, LabStore  # noqa: PLC0415

    return Laboratory(LabStore(store.calls), clock).time


def _join(host: Host) -> Joined | None:
    """Add the laboratory and the faults to a lab server."""
    if not host.settings.lab:
        return None
    from skye_server.lab.fault_injection import FaultInjection  # noqa: PLC0415
    from skye_server.lab.store import Laboratory, LabStore  # noqa: PLC0415

    notifier = host.change_notifier
    return Joined(
        Laboratory(LabStore(host.store.calls), host.clock),
        alter=lambda application: FaultInjection(application, lambda: notifier.stopped),
    )


FEATURE: Final = Feature(
    name="lab",
    errors={
        "invalid_fault": ErrorCode(
            400, "`Skye-Fault` is invalid; `errors` has the reason. The server did not handle the request."
        ),
    },
    enumerations=("skye_server.lab.enums",),
    parameters={
        "inbox": (
            "The name of the inbox.",
            {"type": "string", "pattern": "^[a-z0-9-]{1,40}$", "maxLength": 40},
        ),
    },
    schemas={
        "InboxBody": {"description": "Any JSON: a message to an inbox, or what it was set to answer."},
    },
    blueprints=_blueprints,
    register=_register,
    clock=_clock,
    join=_join,
)
