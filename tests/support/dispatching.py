"""Dispatchers in the process of a test, and the entries of their due queue."""

from skye_server.dispatch.handlers import handlers
from skye_server.dispatch.process import dispatcher
from skye_server.http.framework import collaborators
from skye_server.relay.relay import Relay, connected


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
