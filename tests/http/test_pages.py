"""The `Link` header of pages: where the next page is."""

import re

KEY = "skye_key_of-a-player-of-the-tests"


def created(service):
    """Return a game that the player of the key has created, in its lobby."""
    return service.begin(KEY, players=[{"name": "Ann"}])


def following(answer):
    """Return the path of the next page, None on the last."""
    link = answer.headers.get("Link")
    return link and re.fullmatch(r'<(.*)>; rel="next"', link)[1]


def pages(service, path, token=None):
    """Yield a page and those that follow it, by their links."""
    while path is not None:
        answer = service.call("GET", path, token=token)
        yield answer.json
        path, cursor = following(answer), answer.json.get("next_cursor")
        assert cursor is None or f"cursor={cursor}" in path


def test_links_lead_through_all_pages_of_games(service):
    ids = []
    for _ in range(4):
        service.clock.advance(1)
        ids.append(service.create_game(2).id)
    shown = [game["id"] for page in pages(service, "/v1/games?limit=2") for game in page["games"]]
    assert shown == ids[::-1]


def test_link_keeps_the_status_filter(service):
    for number in range(5):
        service.create_game(2, start=number % 2 == 0)
    listed = [page["games"] for page in pages(service, "/v1/games?limit=2&status=playing")]
    assert [len(games) for games in listed] == [2, 1]
    assert {game["status"] for games in listed for game in games} == {"playing"}


def test_links_lead_through_all_events(service):
    game = service.create_game(2)
    game.offer(0, 1, 1)
    events = [event for page in pages(service, game.path("events?limit=3")) for event in page["events"]]
    assert [event["id"] for event in events] == list(range(1, game.view()["last_event"] + 1))


def test_links_lead_through_all_games_of_a_player(service):
    games = {created(service).id for _ in range(5)}
    shown = [
        own["game"]["id"] for page in pages(service, "/v1/me/games?limit=2", KEY) for own in page["games"]
    ]
    assert len(shown) == 5
    assert set(shown) == games


def test_links_lead_through_all_events_of_a_player(service):
    for _ in range(3):
        created(service)
    shown = [event for page in pages(service, "/v1/me/events?limit=2", KEY) for event in page["events"]]
    assert shown == service.get("/v1/me/events", KEY)["events"]
    assert len(shown) == 3


def test_pages_of_a_player_carry_the_time(service):
    created(service)
    for path in ("/v1/me/games", "/v1/me/events"):
        before = service.get(path, KEY)["now"]
        service.clock.advance(1)
        assert service.get(path, KEY)["now"] > before


def test_page_of_events_without_more_has_no_link(service):
    game = service.create_game(2)
    last = game.view()["last_event"]
    for after in (0, last):
        assert following(game.call("GET", f"events?after={after}")) is None
