"""Existing games and valid tokens for generated requests, so that they get past 404 and 401."""

import gzip
import json
import re
import tomllib
from functools import cache

import schemathesis
import yaml
from schemathesis.checks import CHECKS
from schemathesis.core.errors import InvalidSchema
from schemathesis.core.media_types import YAML_MEDIA_TYPES
from schemathesis.specs.openapi import negative

from skye_server.contract.fields import _READABLE
from tests.support.endpoints import ENDPOINTS, HOST, game_at, stages
from tests.support.launcher import ROOT
from tests.support.playing import Service
from tests.support.sizes import sized

LARGE_BODIES = ("create_game", "create_games")
"""Operations whose boundary cases take schemathesis 20 s each to generate: the full size alone tries them."""

JUDGED = {
    "version_mismatch", "idempotency_key_reused", "invalid_setup", "invalid_territory", "invalid_record",
    "history_lost", "bot_unreachable",
}  # fmt: skip
"""Codes with statuses 410, 412 and 422 by which a request of the right shape may be refused."""

BEYOND_SCHEMAS = (
    "characters that cannot be shown",
    "players; name as many, or none",
    "A manual clock needs a time limit",
    "This belongs to a `budget_ms` only",
    "`bot` and `bot_url` exclude each other",
    "This belongs to a `bot_url` only",
    "/fault",
    "/position/",
    "This does not begin with https://",
    "This is not the name of a host",
    "The record has",
    "This is not an invitation code",
    "This is not the id of an event",
    "This is not the cursor of",
    "Without a token this needs at least",
)
"""Parts of why a request may be refused that no schema describes.

Ids and cursors are opaque strings. No regular expression can list the characters of names, no schema can
compare the lengths of two lists, the linters do not understand a condition on two fields, and the rules judge
a position by all of it. A setting
decides which URLs a server accepts. All this holds for a game alone as for a game of a batch.
"""


@schemathesis.hook
def before_load_schema(_context, raw_schema):
    """Let generated names have visible characters: the pattern of the contract only asks for one."""
    text = json.dumps(raw_schema)
    raw_schema.update(json.loads(text.replace(json.dumps(r"\S"), json.dumps(_READABLE.pattern))))


# Some mutations of a nested array have no values. schemathesis 4.32 skips a mutation that it cannot
# generate, but not where it raises this error, when it builds the elements (similar to its issue 4753).
negative.DECLINED = (*negative.DECLINED, InvalidSchema)

_GAME_ID = re.compile("[a-z0-9]{1,64}")
_PUBLISHED = tomllib.loads((ROOT / "examples/testing/schemathesis.toml").read_text())
"""The configuration that testers use."""


def validate(case, answer, *more_excluded, **kwargs):
    """Run all checks on a response, except for rules about valid requests that no schema can express."""
    if answer.headers.get("content-encoding") == ["gzip"]:
        answer.content = gzip.decompress(answer.content)  # as a client does; schemathesis does not over WSGI
    refused = answer.json() if answer.status_code >= 400 else {}
    errors = str(refused.get("errors"))
    judged = refused.get("code") in JUDGED or any(reason in errors for reason in BEYOND_SCHEMAS)
    excluded = [*more_excluded, *(["positive_data_acceptance"] if judged else [])]
    if refused.get("code") == "lab_off":
        excluded.append("missing_required_header")  # a server that is no lab looks at no key
    if answer.status_code == 204 and case.operation.path == "/v1/games/{game}":
        excluded.append("ignored_auth")  # which sends the request again without a token: the game is deleted
    if answer.headers.get("content-type", [""])[0].startswith("text/event-stream"):
        excluded.append("response_schema_conformance")  # takes the schema of the stream for that of a message
    case.validate_response(answer, excluded_checks=CHECKS.get_by_names(excluded), **kwargs)


@schemathesis.deserializer(*YAML_MEDIA_TYPES)
def from_yaml(_context, answer):
    """Read the YAML of an answer, each document once: they are large, and each always the same."""
    return _from_yaml(answer.content)


@cache
def _from_yaml(content):
    return yaml.load(content, yaml.CSafeLoader)


def contract_of(service, token_for):
    """Return the contract of a service as schemathesis has it; `token_for` finds the token for a case."""
    without_boundaries = {
        "include-operation-id": list(LARGE_BODIES),
        "phases": {"coverage": {"enabled": False}},
    }
    config = schemathesis.Config.from_dict(
        {
            "operations": sized([without_boundaries], []),
            "checks": {"negative_data_rejection": _PUBLISHED["checks"]["negative_data_rejection"]},
        }
    )
    schema = schemathesis.openapi.from_wsgi("/openapi.json", service.app, config=config)

    @schema.auth(refresh_interval=None)
    class Tokens:
        """Gives each request the token that its operation asks for."""

        def get(self, case, _context):
            return token_for(case)

        def set(self, case, token, _context):
            if token is not None:
                case.headers["Authorization"] = f"Bearer {token}"

    return schema


class Stages:
    """A game at each stage, created again when a request has moved one on."""

    def __init__(self):
        self.service = Service()
        self.contract = contract_of(self.service, self._token)
        self._stages = stages(self.service)

    def send(self, case):
        """Send a request about an existing game, and run all checks on the response."""
        game = self._game(case)
        parameters = case.path_parameters or {}
        if game is not None and _GAME_ID.fullmatch(str(parameters.get("game", ""))):
            parameters["game"] = game.id
            if str(parameters.get("seat")) in tuple("01234"):
                parameters["seat"] = "0"
        prepare(case)
        answer = case.call()
        # The check that sends the request again without a token would find that a deleted game is gone.
        validate(case, answer, *(["ignored_auth"] if answer.status_code == 204 else []))
        if game is not None and case.operation.method != "get" and answer.status_code < 300:
            stage = endpoint_of(case).stage
            self._stages[stage] = game_at(stage, self.service)

    def _game(self, case):
        endpoint = endpoint_of(case)
        return self._stages[endpoint.stage] if endpoint and endpoint.of_game else None

    def _token(self, case):
        game = self._game(case)
        return None if game is None else endpoint_of(case).token(game)


class Journeys:
    """Games as they are created along the links, and their tokens."""

    def __init__(self):
        self.service = Service()
        self.contract = contract_of(self.service, self._token)
        self._tokens = {}

    def begin(self):
        """Delete all games, so that the same requests have the same responses each time."""
        self.service.redis.flushall()
        self._tokens.clear()

    def excluded_checks(self, case):
        """Return the names of the checks that do not apply to a response of a journey."""
        game = (case.path_parameters or {}).get("game")
        # A DELETE aborts a game, which clients can still read. Without a token a private game is not found.
        hidden = game in self._tokens and self.service.http.get(f"/v1/games/{game}").status_code == 404
        return ["use_after_free", *(["ignored_auth"] if hidden else [])]

    def note(self, answer):
        """Remember the tokens in a response."""
        if answer.status_code != 201:
            return
        received = answer.json()
        if "games" in received:
            for created in received["games"]:
                self._note_tokens(created["game_id"], created)
        elif received.get("game") is not None:
            self._note_tokens(received["game"]["id"], received)

    def _note_tokens(self, game, received):
        tokens = self._tokens.setdefault(game, {})
        if "host_token" in received:
            tokens[HOST] = received["host_token"]
        for player in received.get("players", [received] if "token" in received else []):
            tokens[str(player["seat"])] = player["token"]

    def _token(self, case):
        parameters = case.path_parameters or {}
        tokens = self._tokens.get(parameters.get("game"), {})
        seat = str(parameters.get("seat"))
        endpoint = endpoint_of(case)
        if endpoint is None:  # an operation of the laboratory
            return None
        return tokens.get(HOST) if endpoint.who == HOST else tokens.get(seat)


CHAT_URLS = {
    "discord": "https://discord.com/api/webhooks/1/x",
    "slack": "https://hooks.slack.com/services/T0/B0/x",
}


def prepare(case):
    """Let a long poll be short, and a webhook of a chat service have a URL of it, which no schema says."""
    if isinstance(case.body, dict) and str(case.body.get("url")).startswith("https://"):
        case.body["url"] = CHAT_URLS.get(str(case.body.get("format")), case.body["url"])
    if str((case.query or {}).get("wait_ms", "")).isdigit():
        case.query["wait_ms"] = min(int(case.query["wait_ms"]), 1)


def endpoint_of(case):
    """Return the known facts about the operation of a case, or None."""
    return _ENDPOINTS.get((case.operation.method.upper(), case.operation.path))


_ENDPOINTS = {
    (end.method, end.rule.replace("int:", "").replace("<", "{").replace(">", "}")): end for end in ENDPOINTS
}
