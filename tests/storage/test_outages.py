"""Redis away, loading, electing or full: what is waited for, for how long, and what the operator is told."""

import pytest
import redis
from redis.exceptions import (
    AskError,
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    MaxConnectionsError,
    MovedError,
    OutOfMemoryError,
    ReadOnlyError,
    TryAgainError,
)

from service.matches.errors import Problem
from service.storage import retry
from service.storage.retry import RetryPolicy, TooFewReplicas


def failing(*errors, at_last="done"):
    """Return a call that fails with each of some errors in turn, and then no more."""
    left = list(errors)

    def attempt():
        if left:
            raise left.pop(0)
        return at_last

    return attempt


PASSING = [
    redis.ConnectionError("refused"),
    redis.TimeoutError("slow"),
    BusyLoadingError("LOADING Redis is loading"),
    MaxConnectionsError("Too many connections"),
    ReadOnlyError("You can't write against a read only replica."),
    ClusterDownError("CLUSTERDOWN Hash slot not served"),
    TryAgainError("Multiple keys request during rehashing"),
    MovedError("1 127.0.0.1:7000"),
    AskError("1 127.0.0.1:7000"),
    TooFewReplicas("0 of 1"),
    redis.ResponseError("NOREPLICAS Not enough good replicas to write."),
    redis.ResponseError("Error running script: @user_script:27: -READONLY You can't write"),
    redis.ResponseError("BUSY Redis is busy running a script."),
]
LASTING = [
    AuthenticationError("WRONGPASS invalid username-password pair"),
    redis.ResponseError("NOAUTH Authentication required."),
    OutOfMemoryError("command not allowed when used memory > 'maxmemory'."),
    redis.ResponseError("MISCONF Redis is configured to save RDB snapshots"),
    redis.ResponseError("WRONGTYPE Operation against a key holding the wrong kind of value"),
]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_what_passes_is_waited_for(error, naps):
    assert RetryPolicy(5).call(failing(*[error] * 6)) == "done"
    assert len(naps) == 6
    assert all(
        0.5 * pause <= nap <= pause
        for nap, pause in zip(naps, (0.02, 0.04, 0.08, 0.16, 0.32, 0.5), strict=True)
    )


@pytest.mark.parametrize("error", LASTING, ids=lambda error: str(error)[:9])
def test_what_lasts_is_refused_at_once(error, naps):
    with pytest.raises(Problem, match="store_unavailable"):
        RetryPolicy(5).call(failing(error))
    assert naps == []


def test_patience_ends(naps):
    with pytest.raises(Problem, match="store_unavailable"):
        RetryPolicy(5).call(failing(*[redis.ConnectionError()] * 100))
    assert 4.5 <= sum(naps) <= 5


def test_without_patience_nothing_is_tried_again(naps):
    for call in (
        lambda: RetryPolicy(0).call(failing(redis.ConnectionError())),
        lambda: RetryPolicy(5).call(failing(redis.ConnectionError()), patient=False),
    ):
        with pytest.raises(Problem, match="store_unavailable"):
            call()
    assert naps == []


def test_all_calls_for_one_request_share_its_patience(naps):
    waiting = RetryPolicy(5)
    retry.start_budget()
    try:
        waiting.call(failing(*[redis.ConnectionError()] * 8))
        waited = sum(naps)
        with pytest.raises(Problem, match="store_unavailable"):
            waiting.call(failing(*[redis.ConnectionError()] * 100))
        assert waited > 1
        assert sum(naps) <= 5
    finally:
        retry.clear_budget()
    assert waiting.call(failing(*[redis.ConnectionError()] * 8)) == "done"


def test_what_is_answered_slowly_has_been_waited_for_too(naps):
    waiting = RetryPolicy(5)
    retry.start_budget()
    try:
        for _ in range(4):
            waiting.call(lambda: naps.append(2.0))
        with pytest.raises(Problem, match="store_unavailable"):
            waiting.call(failing(redis.ConnectionError()))
    finally:
        retry.clear_budget()
    assert naps == [2.0] * 4
    assert waiting.call(failing(redis.ConnectionError())) == "done"


def test_each_kind_of_failure_is_logged_now_and_then(naps, caplog):
    waiting = RetryPolicy(5)
    for error in (
        redis.ConnectionError("refused"),
        redis.TimeoutError("slow"),
        redis.ConnectionError("again"),
    ):
        waiting.call(failing(*[error] * 3))
    assert [record.getMessage() for record in caplog.records] == [
        "Redis fails: refused",
        "Redis fails: slow",
    ]
    naps.append(5.0)
    waiting.call(failing(redis.ConnectionError("once more")))
    assert caplog.records[-1].getMessage() == "Redis fails: once more"
