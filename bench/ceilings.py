"""The fixed ceilings: bare Flask views that return the bytes of a response of the API.

They send one GET for a read, and one GET and one EVALSHA for an action, and do nothing else. gunicorn serves
`bench.ceilings:app` with the settings of the API. A view returns a response of the API that the benchmark
has stored as `bench:answer:NAME`: the status, the content type and the body.
"""

from __future__ import annotations

import os
from types import SimpleNamespace

import redis
from flask import Flask, Response, request
from redis.backoff import NoBackoff
from redis.retry import Retry

from skye_server.store.shards import key_of

app = Flask(__name__, static_folder=None)
app.extensions["skye"] = SimpleNamespace(
    change_notifier=SimpleNamespace(stop=lambda: None),
    games=SimpleNamespace(
        store=SimpleNamespace(warnings=list),
        signs=SimpleNamespace(start=lambda **_: None, stop=lambda: None),
    ),
)  # the API's gunicorn worker calls these when it starts and stops
store = redis.Redis.from_url(os.environ["SKYE_REDIS_URL"], retry=Retry(NoBackoff(), 0))
write = store.register_script(
    "redis.call('XADD', KEYS[2], 'MAXLEN', 100, '*', 'c', ARGV[2]) "
    "redis.call('EXPIRE', KEYS[2], 600) "
    "redis.call('SET', KEYS[1], ARGV[1], 'EX', 600) "
    "redis.call('PUBLISH', 'bench:changes', KEYS[1]) return 1"
)

_answers: dict[str, tuple[int, str, bytes]] = {}


def answer(name: str) -> Response:
    """Return the stored response."""
    if name not in _answers:
        status, content_type, body = store.hmget(f"bench:answer:{name}", "status", "type", "body")
        _answers[name] = int(status), content_type.decode(), body
    status, content_type, body = _answers[name]
    return Response(body, status, content_type=content_type)


@app.get("/read/<name>/<game>")
def read(name: str, game: str) -> Response:
    """Read the game."""
    store.get(key_of(game, "game"))
    return answer(name)


@app.get("/read-log/<name>/<game>")
def read_log(name: str, game: str) -> Response:
    """Read the game and the last entries of its log."""
    pipeline = store.pipeline(transaction=False)
    pipeline.get(key_of(game, "game"))
    pipeline.xrevrange(key_of(game, "log"), count=3)
    pipeline.execute()
    return answer(name)


@app.route("/act/<name>/<game>", methods=["POST", "PUT", "DELETE"])
def act(name: str, game: str) -> Response:
    """Read the game, then write as many bytes as an action."""
    _write(game, store.get(key_of(game, "game")) or b"")
    return answer(name)


@app.post("/create/<name>/<game>")
def create(name: str, game: str) -> Response:
    """Write as many bytes as the creation of a game."""
    _write(game, answer(name).get_data()[:1500])
    return answer(name)


def _write(game: str, stored: bytes) -> None:
    write(keys=[f"{{bench:{game}}}:game", f"{{bench:{game}}}:log"], args=[stored, request.get_data()])
