"""What the stack itself can do: views that do the same round trips to Redis as ours, and nothing else.

Served by the same gunicorn settings as the application: `bench.ceilings:app`.
"""

from __future__ import annotations

import os
from types import SimpleNamespace

import redis
from flask import Flask, Response, request
from redis.backoff import NoBackoff
from redis.retry import Retry

app = Flask(__name__, static_folder=None)
app.extensions["skye-bell"] = SimpleNamespace(stop=lambda: None)  # which our gunicorn worker stops at its end
store = redis.Redis.from_url(os.environ["SKYE_REDIS_URL"], retry=Retry(NoBackoff(), 0))
write = store.register_script(
    "redis.call('SET', KEYS[1], ARGV[1], 'EX', 600) "
    "redis.call('XADD', KEYS[2], 'MAXLEN', 100, '*', 'c', ARGV[2]) "
    "redis.call('EXPIRE', KEYS[2], 600) return 1"
)
JSON = "application/json"


def body() -> bytes:
    """Return the bytes that the driver stored as the answer to give."""
    answer: bytes = store.get("bench:answer")
    return answer


PREBUILT: dict[str, bytes] = {}


@app.get("/bare")
def bare() -> Response:
    """Answer with the same bytes and no Redis."""
    if "answer" not in PREBUILT:
        PREBUILT["answer"] = body()
    return Response(PREBUILT["answer"], content_type=JSON)


@app.get("/one/<game>")
def one(game: str) -> Response:
    """Answer with what one read of Redis gives."""
    return Response(store.get(f"bench:{game}") or body(), content_type=JSON)


@app.route("/two/<game>", methods=["POST", "PUT", "DELETE"])
def two(game: str) -> Response:
    """Read, then write as much as an action writes, then answer with what was read."""
    sent = request.get_data()
    answer = store.get(f"bench:{game}") or body()
    write(keys=[f"{{bench:{game}}}:table", f"{{bench:{game}}}:log"], args=[answer[:2000], sent])
    return Response(answer, content_type=JSON)
