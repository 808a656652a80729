"""The examples of error responses, each provoked on a live server."""

from unittest import mock

from skye_server import cooperative_yield
from tests.contract import worker_problems
from tests.contract.recording import LiveService
from tests.support.provoked import PROVOKED


def problems():
    """Return an example of each error code that can be provoked, by its code."""
    sentences = {code: sentence for sentence, (code, _) in reversed(PROVOKED.items())}
    by_code = {code: _problem(sentence) for code, sentence in sentences.items()}
    limits = {"too_many_requests": _too_many_requests(), "too_many_streams": _too_many_streams()}
    return by_code | limits | {"server_busy": _server_busy()} | worker_problems.recorded()


def _problem(sentence):
    _, prepare = PROVOKED[sentence]
    with LiveService() as service:
        summary = f"{sentence[0].upper()}{sentence[1:].replace('_', ' ')}."
        return {"summary": prepare.__doc__ or summary, "value": prepare(service)().json}


def _server_busy():
    body = {"players": [{"bot": "random"}, {"bot": "random"}], "auto_start": True}
    with LiveService() as service, mock.patch.object(cooperative_yield, "MAX_QUEUED", 0):
        with cooperative_yield.Computation():
            response = service.call("POST", "/v1/games", body)
        return {"summary": "One computation more than the server allows.", "value": response.json}


def _too_many_requests():
    with LiveService(limits=True) as service:
        while (response := service.call("POST", "/v1/games")).status_code == 201:
            pass
        return {"summary": "One new game more in a minute than the server allows.", "value": response.json}


def _too_many_streams():
    with LiveService(limits=True) as service:
        path, memory = service.create_game().path("events/stream"), service.app.test_client()
        opened = []
        while (response := memory.get(path)).status_code == 200:
            opened.append(response)
        return {"summary": "One stream more than the server allows.", "value": response.json}
