"""Responses to requests that seat bots at URLs are in the contract."""

from skye_server.http.framework import collaborators
from tests.contract.checked import CheckedService, Contract, read_document
from tests.support.endpoints import RECEIVER
from tests.support.receiver import AnsweringSender


def test_bots_at_urls_are_in_the_contract():
    service = CheckedService(Contract(read_document()))
    collaborators(service.app).challenges.sender = AnsweringSender()
    players = [{"name": "Ann"}, {"bot_url": RECEIVER}]
    game = service.begin(players=players)
    seated = game.call("POST", "players", players[1], token=game.host)
    assert seated.json["secret"].startswith("whsec_")
    games, key = {"games": [{"players": players}]}, {"Idempotency-Key": "b" * 22}
    assert service.call("POST", "/v1/batches", games, headers=key).status_code == 201
