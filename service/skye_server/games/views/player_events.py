"""Events of players as the API shows them."""

from __future__ import annotations

from typing import Any

from skye_server.games.player_events import PlayerEvent
from skye_server.games.views.game import timestamp


def event_view(event_id: str, event: PlayerEvent) -> dict[str, Any]:
    """Return an event of a player as the API shows it."""
    view: dict[str, Any] = {"id": event_id, "at": timestamp(event.at_ms), "type": event.type}
    if event.ticket:
        return view | {"ticket_id": event.ticket}
    if event.webhook:
        return view | {"webhook_id": event.webhook}
    view |= {
        "game_id": event.game,
        "seat": event.seat,
        "game_version": event.version,
        "game_last_event": event.last_event,
        "status": event.status,
    }
    if event.turn is not None:
        deadline_ms = event.turn.deadline_ms
        deadline = None if deadline_ms is None else timestamp(deadline_ms)
        view |= {"phase": event.turn.phase, "deadline": deadline}
    return view
