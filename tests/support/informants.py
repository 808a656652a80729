"""Stand-ins for who is asked which server holds what: a Sentinel, a node of a cluster."""

import redis


class Informant:
    """What answers a pipeline of commands by `answers`, unless it is `silent`; `asked` counts how often."""

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
