"""The retry policy: retried errors, backoff, budget, and log lines."""

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

from skye_server.error_codes import Problem
from skye_server.store.connection import calls
from skye_server.store.connection.calls import RetryPolicy
from skye_server.store.connection.failures import TooFewReplicas


def run(policy, *errors, **options):
    """Make attempts that fail with each of some errors in turn, and then succeed."""
    left = list(errors)

    def attempt():
        if left:
            raise left.pop(0)
        return "done"

    return policy.run(attempt, **options)


RETRYABLE = [
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
PERMANENT = [
    AuthenticationError("WRONGPASS invalid username-password pair"),
    redis.ResponseError("NOAUTH Authentication required."),
    OutOfMemoryError("command not allowed when used memory > 'maxmemory'."),
    redis.ResponseError("MISCONF Redis is configured to save RDB snapshots"),
    redis.ResponseError("WRONGTYPE Operation against a key holding the wrong kind of value"),
]


@pytest.mark.parametrize("error", RETRYABLE, ids=lambda error: type(error).__name__)
def test_retryable_error_is_retried_with_backoff(error, naps):
    assert run(RetryPolicy(5), *[error] * 6) == "done"
    assert len(naps) == 6
    assert all(
        0.5 * pause <= nap <= pause
        for nap, pause in zip(naps, (0.02, 0.04, 0.08, 0.16, 0.32, 0.5), strict=True)
    )


@pytest.mark.parametrize("error", PERMANENT, ids=lambda error: str(error)[:9])
def test_permanent_error_is_not_retried(error, naps):
    with pytest.raises(Problem, match="store_unavailable"):
        run(RetryPolicy(5), error)
    assert naps == []


def test_retries_end_with_the_budget(naps):
    with pytest.raises(Problem, match="store_unavailable"):
        run(RetryPolicy(5), *[redis.ConnectionError()] * 100)
    assert 4.5 <= sum(naps) <= 5


def test_call_without_retries_fails_at_the_first_error(naps):
    for call in (
        lambda: run(RetryPolicy(0), redis.ConnectionError()),
        lambda: run(RetryPolicy(5), redis.ConnectionError(), retries=False),
    ):
        with pytest.raises(Problem, match="store_unavailable"):
            call()
    assert naps == []


def test_calls_of_one_request_share_its_budget(naps):
    policy = RetryPolicy(5)
    calls.start_budget()
    try:
        run(policy, *[redis.ConnectionError()] * 8)
        waited = sum(naps)
        with pytest.raises(Problem, match="store_unavailable"):
            run(policy, *[redis.ConnectionError()] * 100)
        assert waited > 1
        assert sum(naps) <= 5
    finally:
        calls.clear_budget()
    assert run(policy, *[redis.ConnectionError()] * 8) == "done"


def test_time_of_slow_replies_counts_against_the_budget(naps):
    policy = RetryPolicy(5)
    calls.start_budget()
    try:
        for _ in range(4):
            policy.run(lambda: naps.append(2.0))
        with pytest.raises(Problem, match="store_unavailable"):
            run(policy, redis.ConnectionError())
    finally:
        calls.clear_budget()
    assert naps == [2.0] * 4
    assert run(policy, redis.ConnectionError()) == "done"


def test_each_kind_of_error_is_logged_at_intervals(naps, caplog):
    policy = RetryPolicy(5)
    for error in (
        redis.ConnectionError("refused"),
        redis.TimeoutError("slow"),
        redis.ConnectionError("again"),
    ):
        run(policy, *[error] * 3)
    assert [record.getMessage() for record in caplog.records] == ["Redis fails: refused", "Redis fails: slow"]
    naps.append(5.0)
    run(policy, redis.ConnectionError("once more"))
    assert caplog.records[-1].getMessage() == "Redis fails: once more"
