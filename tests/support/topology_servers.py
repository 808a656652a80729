"""A fake of the servers that report the topology: a Sentinel, or a node of a cluster."""

import redis


class FakeTopologyServer:
    """A connection whose pipelines return `answers()`, or time out while `silent`; `asked` counts them."""

    def __init__(self, answers):
        self.answers = answers
        self.silent = False
        self.asked = 0

    def pipeline(self, transaction):
        assert not transaction
        return self

    def execute_command(self, *_command):
        pass

    def execute(self):
        self.asked += 1
        if self.silent:
            raise redis.TimeoutError("silent")
        return self.answers()
