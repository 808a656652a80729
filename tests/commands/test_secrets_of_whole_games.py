"""Whole random games that differ in one seat's secrets have the same responses for all others."""

from itertools import product

import pytest
from msgspec.structs import replace

from skye_server.store.codec import decode_game, encode_game
from skye_server.store.shards import key_of
from tests.commands.twins import MAX_GOLD, SECRET, Twins, answers, assert_nothing_shows, callers
from tests.support.playing import Service, dice, offer
from tests.support.sizes import sampled, sized

CHECKED_ROUNDS = sized((4,), range(1, 7))
"""The rounds in which every answer to every caller is compared; each takes some 300 requests a phase."""

PHASES = ("pricing", "buying", "building")


def moments(rounds, players):
    """Return cases of (phase, round) and the number of players; the small size has each phase and number."""
    return sampled(product(product(PHASES, rounds), players), 3)


def two_offers(game, throw):
    """Return two offers that the secret seat could set now, and that are not the same."""
    limits = game.actions(SECRET)[0]["constraints"]
    one = other = offer(limits, throw)
    while other == one:
        other = offer(limits, throw)
    return one, other


@pytest.mark.parametrize(
    ("players", "seed", "open_gold"), sampled([(2, 11, False), (5, 13, False), (3, 12, True)], 2)
)
def test_replaced_offer_is_in_no_response_of_a_whole_game(players, seed, open_gold):
    twins = Twins(players, open_gold=open_gold)
    throw = dice(seed)
    view = twins.games[0].view()
    while view["status"] == "playing":
        number = view["round"]
        if view["phase"] == "pricing":
            first = two_offers(twins.games[0], throw)
            for game, differing in zip(twins, first, strict=True):
                assert game.call("PUT", "offer", differing, seat=SECRET).status_code == 200
            if number in CHECKED_ROUNDS:
                assert_nothing_shows(twins, [number])
            for game in twins:
                assert game.call("PUT", "offer", first[0], seat=SECRET).status_code == 200
        elif number in CHECKED_ROUNDS:
            assert_nothing_shows(twins, [throw.randint(1, number)])
        again = throw.random()
        here = (number, view["phase"])
        ends = [
            game.play_until(
                lambda view, here=here: view["status"] != "playing" or (view["round"], view["phase"]) != here,
                dice(again),
            )
            for game in twins
        ]
        assert ends[0] == ends[1]
        view = ends[0]
    one, other = (game.service.get(game.path("record")) for game in twins)
    assert one != other


def stored_otherwise(game, change):
    """Let a game be stored as if something had been otherwise in it."""
    key = key_of(game.id, "game")
    redis = game.service.redis
    redis.set(key, encode_game(change(decode_game(redis.get(key)))), keepttl=True)


def played_to(moment, players, **options):
    """Return a game played to a phase of a round."""
    game = Service().create_game(players, options={"scoring_tiles": MAX_GOLD, **options})
    game.play_to(*moment, dice(players))
    return game


@pytest.mark.parametrize(("moment", "players"), moments((1, 4), (2, 4)))
def test_purse_of_another_seat_changes_no_response(moment, players):
    game = played_to(moment, players)
    asked = {caller: answers(game, caller, [moment[1]]) for caller in callers(game)}

    def richer(table):
        seats = list(table.state.players)
        seats[SECRET] = seats[SECRET]._replace(gold=seats[SECRET].gold + 7)
        return replace(table, state=table.state._replace(players=tuple(seats)))

    own = answers(game, game.tokens[SECRET], [moment[1]])
    stored_otherwise(game, richer)
    for caller, received in asked.items():
        assert answers(game, caller, [moment[1]]) == received, caller
    assert answers(game, game.tokens[SECRET], [moment[1]]) != own


@pytest.mark.parametrize(("moment", "players"), moments((1, 3), (2, 5)))
def test_seed_changes_only_the_commitment_until_a_tile_is_drawn(moment, players):
    game = played_to(moment, players)
    tokens = {**callers(game), "the secret seat": game.tokens[SECRET]}

    def received():
        commitment = game.view()["fairness"]["commitment"].encode()
        return {
            (caller, *request): (status, headers, body.replace(commitment, b"COMMITMENT"))
            for caller in tokens
            for request, (status, headers, body) in answers(game, tokens[caller], [moment[1]]).items()
        }

    before, commitment = received(), game.view()["fairness"]["commitment"]
    stored_otherwise(
        game,
        lambda table: replace(
            table, options=replace(table.options, seed="another"), state=table.state._replace(seed="another")
        ),
    )
    assert game.view()["fairness"]["commitment"] != commitment
    assert received() == before
