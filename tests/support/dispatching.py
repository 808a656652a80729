"""Dispatchers in the process of a test, and the entries of their due queue."""

from skye_server.dispatch.process import dispatcher, handlers
from skye_server.games.due import RELAY_MS
from skye_server.http.framework import collaborators
from skye_server.relay.relay import Relay, connected, rebuild


def games_of(service):
    """Return the games of a service."""
    return collaborators(service.app).games


def dispatcher_of(service):
    """Return a dispatcher of a service."""
    return dispatcher(games_of(service))


def handlers_of(service):
    """Return the handlers of due work of a service, by kind."""
    games = games_of(service)
    return handlers(games, connected(games))


def dispatch(service):
    """Handle all work that is due, in this thread."""
    dispatcher_of(service).run_due()


def rebuild_all(service):
    """Derive everything again from the games and their logs, at the time of the service's clock."""
    store = games_of(service).store
    store.time = service.clock
    rebuild(store)
    service.clock.advance(RELAY_MS / 1000)
    dispatch(service)


def saved(service, *patterns):
    """Return what is stored under keys that match, for `put_back`."""
    keys = [key for pattern in patterns for key in service.redis.keys(pattern)]
    return {key: (max(service.redis.pttl(key), 0), service.redis.dump(key)) for key in keys}


def put_back(service, kept):
    """Store what `saved` has returned, as after the loss of all later writes."""
    for key, (left_ms, value) in kept.items():
        service.redis.restore(key, left_ms, value, replace=True)


def entries(service, kind):
    """Return the due entries of a kind with their times."""
    found = {}
    for key in service.redis.keys(f"skye:*:due.{kind}"):
        found |= {
            member.decode(): int(score) for member, score in service.redis.zrange(key, 0, -1, withscores=True)
        }
    return found


def crash_before_relay(patched):
    """Let processes crash after each commit, before they relay it."""
    for step in ("committed", "deleted"):
        patched.setattr(Relay, step, lambda *_: None)


def to_relay(service):
    """Return the entries of the relay that are due soon; those of renewals are due in days."""
    soon_ms = 1000 * service.clock() + 10 * RELAY_MS
    return {entry for entry, at_ms in entries(service, "relay").items() if at_ms <= soon_ms}
