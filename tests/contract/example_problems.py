"""The examples of error responses, each provoked on a live server."""

from functools import partial
from unittest import mock

from skye_server import cooperative_yield
from skye_server.store.redis_store import RedisStore
from tests.contract import worker_problems
from tests.contract.recording import LiveService
from tests.support.provoked import PROVOKED


def groups():
    """Return the functions that record examples, by the error codes of the examples."""
    return {
        **of_provoked(PROVOKED),
        ("too_many_requests",): _too_many_requests,
        ("too_many_streams",): _too_many_streams,
        ("server_busy",): _server_busy,
        worker_problems.CODES: worker_problems.recorded,
    }


def of_provoked(provoked):
    """Return the functions that record an example of each error code of some requests that are refused.

    :param provoked: see `tests.support.provoked.provoked_by`.
    """
    first = {code: sentence for sentence, (code, _) in reversed(provoked.items())}
    return {
        (code,): partial(_problem, code, sentence, provoked[sentence][1]) for code, sentence in first.items()
    }


def _problem(code, sentence, prepare):
    with LiveService() as service:
        summary = f"{sentence[0].upper()}{sentence[1:].replace('_', ' ')}."
        return _example(code, prepare.__doc__ or summary, prepare(service)())


def _server_busy():
    body = {"players": [{"bot": "random"}, {"bot": "random"}], "auto_start": True}
    with LiveService() as service, mock.patch.object(cooperative_yield, "MAX_QUEUED", 0):
        with cooperative_yield.Computation():
            response = service.call("POST", "/v1/games", body)
        return _example("server_busy", "One computation more than the server allows.", response)


def _too_many_requests():
    levels = {}

    def fill_bucket(_store, bucket, amount_us, capacity_us):
        """Fill a bucket that does not leak: on a busy machine it would, and take one request more."""
        level = levels.get(bucket, 0)
        is_allowed = level + amount_us <= capacity_us
        levels[bucket] = level + amount_us * is_allowed
        return is_allowed, levels[bucket]

    with mock.patch.object(RedisStore, "fill_bucket", fill_bucket), LiveService(limits=True) as service:
        while (response := service.call("POST", "/v1/games")).status_code == 201:
            pass
        summary = "One new game more in a minute than the server allows."
        return _example("too_many_requests", summary, response)


def _too_many_streams():
    with LiveService(limits=True) as service:
        path, memory = service.create_game().path("events/stream"), service.app.test_client()
        opened = []
        while (response := memory.get(path)).status_code == 200:
            opened.append(response)
        return _example("too_many_streams", "One stream more than the server allows.", response)


def _example(code, summary, response):
    """Return the example of a response, by its code."""
    found = response.json.get("code")
    assert found == code, f"The problem code is {found}."
    return {code: {"summary": summary, "value": response.json}}
