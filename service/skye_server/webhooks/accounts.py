"""The accounts that requests to URLs count for: a player, else the address of the client that named a URL."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from skye_server.client_address import network
from skye_server.commands.attempts import Command
from skye_server.players.identities import PlayerIdentities

_ADDRESS_DIGITS: Final = 6
"""Hexadecimal digits of the hash of an address. 256 IPv4 addresses share each, so a record names none."""


class Account(NamedTuple):
    """What the requests of one webhook, or one bot at a URL, count for.

    :param name: the id of the player, or `address`.
    :param address: a short hash of the client's address. All its players share it: player keys cost nothing.
    """

    name: str = ""
    address: str = ""


def account_of(identities: PlayerIdentities, command: Command) -> Account:
    """Return the account of a command that names a URL.

    :raises Problem: token_unknown.
    """
    digest = hashlib.sha256(network(command.address).encode()).hexdigest()
    address = digest[:_ADDRESS_DIGITS]
    return Account(identities.player_of_key(command.token) or address, address)
