"""A store that is away from the rate limiter."""

from service.matches.error_codes import Problem
from service.storage.redis_store import RedisStore


class Away(RedisStore):
    """A store that does not answer the limiter, and counts how often it was asked."""

    asked = 0

    def fill_bucket(self, *_asked):
        self.asked += 1
        raise Problem("store_unavailable")
