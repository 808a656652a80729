"""What the document says before its operations."""

INTRODUCTION = """\
Keeps and plays games of the board game Isle of Skye: the complete rules, for people and for bots.
"""

STREAM = """\
Server-sent events, in UTF-8. `data` is always one line of JSON; which message it is, `event` tells:

- `stream`, first: where the stream stands (StreamStart). If its `last_event` is less than the `after` that \
was asked for, the client's events come from another game: begin anew.
- no name: an event of the game (Event). Its `id` is the number of the event; an `EventSource` that comes \
back sends it as `Last-Event-ID`, and so misses nothing and sees nothing twice.
- `end`, last: why the stream ends (StreamEnd). After `restart` come back; after any other reason do not.

A comment is sent as a heartbeat when nothing else is, at least every 15 seconds.
"""
