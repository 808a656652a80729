"""Additions that a later version may send: types, codes and fields that the contract does not list."""

EVENTS = {
    "version": 9,
    "status": "playing",
    "last_event": 2,
    "now": "2027-01-15T08:00:01Z",
    "mood": "calm",
    "events": [
        {"id": 1, "version": 9, "at": "2027-01-15T08:00:00Z", "type": "auction_held", "bids": [1, 2]},
        {"id": 2, "version": 9, "at": "2027-01-15T08:00:00Z", "type": "timed_out", "seat": 1, "mood": "calm"},
    ],
}
ACTIONS = {
    "version": 9,
    "actions": [
        {"type": "hold_auction", "method": "PATCH", "href": "/v1/auction", "body": [1], "revises": False},
        {"type": "pass", "method": "PUT", "href": "/v1/x", "body": {"tile": None}, "revises": False},
    ],
}
PROBLEM = {
    "type": "/docs/errors#auction_closed",
    "title": "Auction closed",
    "status": 409,
    "detail": "The auction is closed.",
    "instance": "urn:skye:request:9f2c4b7a1d3e5f60",
    "code": "auction_closed",
    "mood": "calm",
}
