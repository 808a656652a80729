"""A store that is unavailable to the rate limiter."""

from skye_server.error_codes import Problem
from skye_server.store.redis_store import RedisStore


class Away(RedisStore):
    """A store that fails for the limiter, and counts its calls."""

    asked = 0

    def fill_bucket(self, *_asked):
        self.asked += 1
        raise Problem("store_unavailable")
