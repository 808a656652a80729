"""Views have the fields and the types that the schemas of responses describe."""

import collections.abc
import types
import typing

import pytest
from marshmallow import fields

import skye
from service.matches import event_view_types
from service.matches import view_types as views
from service.schemas import responses
from service.schemas.objects import Constant, Tagged
from service.schemas.responses import catalogue, events, lobby
from service.schemas.responses.events import EVENTS

OBJECTS = [
    (views.TimedGameView, responses.Game),
    (views.CreatedGameView, responses.CreatedGame),
    (views.CreatedInviteView, responses.CreatedInvite),
    (views.TakenSeatView, responses.TakenSeat),
    (views.PlayerView, responses.SeatView),
    (views.OfferView, responses.CurrentOffer),
    (views.PlacementsView, responses.CurrentPlacements),
    (views.SummaryView, lobby.GameSummary),
    (views.ActionsView, responses.ActionList),
    (views.RecordView, responses.ExportedRecord),
    (views.TileView, responses.Tile),
    (skye.ScoringTileView, catalogue.ScoringTile),
    (skye.ScoresView, responses.Scores),
    (skye.WhatIfView, responses.TriedPlacements),
    (skye.TerritoryView, responses.TerritoryReport),
    (skye.ScoredTerritoriesView, responses.ScoredTerritories),
    (skye.RoundView, responses.RoundReport),
]
"""Views and the schemas of the same JSON objects."""

ADDED_BY_ROUTES = {"version", "seat"}
"""Fields of some responses that the routes add to a view of the engine."""

EVENT_VIEWS = [
    view for view in typing.get_args(event_view_types.MatchEventView) if view is not skye.GameFinishedView
]
"""The match adds a field to `GameFinishedView`."""


def test_every_type_of_event_has_one_view():
    kinds = [kind for view in EVENT_VIEWS for kind in kinds_of(view)]
    assert sorted(kinds) == sorted(map(events.Event.tag, EVENTS))


@pytest.mark.parametrize(("view", "schema"), OBJECTS, ids=lambda part: part.__name__)
def test_view_has_the_fields_and_types_of_its_schema(view, schema):
    absent = fields_of(schema).keys() - typing.get_type_hints(view).keys()
    assert absent <= ADDED_BY_ROUTES
    compare(view, schema, ignored=absent)


@pytest.mark.parametrize("schema", EVENTS, ids=events.Event.tag)
def test_event_view_has_the_fields_and_types_of_its_schema(schema):
    kind = events.Event.tag(schema)
    (view,) = (view for view in EVENT_VIEWS if kind in kinds_of(view))
    compare(view, schema, ignored=NUMBERED - {"type"})


NUMBERED = typing.get_type_hints(event_view_types.NumberedEventView).keys()


def kinds_of(view):
    """Return the words that the `type` of a view can be."""
    return typing.get_args(typing.get_type_hints(view)["type"])


def fields_of(schema):
    """Return the fields of a schema by their names in JSON."""
    return {field.data_key or name: field for name, field in schema().fields.items()}


def compare(view, schema, ignored=()):
    """Assert that a view and a schema have the same fields, as often required and of the same types."""
    hints = typing.get_type_hints(view)
    described = {name: field for name, field in fields_of(schema).items() if name not in ignored}
    required = {name for name, field in described.items() if field.required}
    assert (hints.keys(), view.__required_keys__) == (described.keys(), required), (view, schema)
    for name, field in described.items():
        compare_field(hints[name], field, f"{view.__name__}.{name}")


def compare_field(hint, field, where):
    """Assert that a type matches a schema field: null, a list, an object, or a scalar."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    assert (types.NoneType in parts) == bool(field.allow_none), where
    kinds = [part for part in parts if part is not types.NoneType]
    if isinstance(field, fields.List):
        (items,) = typing.get_args(kinds[0])
        compare_field(items, field.inner, where)
    elif isinstance(field, fields.Nested):
        compare_objects(kinds, type(field.schema), where)
    elif not isinstance(field, Constant):
        assert kinds == [plain_type(field)], where


def compare_objects(kinds, schema, where):
    """Assert that the types of an object are those of its schema, or of each of its variants."""
    if issubclass(schema, Tagged):
        for variant in schema.variants:
            compare_variant(kinds, variant, schema.tag(variant))
    elif typing.get_origin(kinds[0]) is collections.abc.Mapping:
        values = typing.get_args(kinds[0])[1]
        assert {plain_type(field) for field in fields_of(schema).values()} == {values}, where
    elif kinds != [skye.Position]:  # which tests/engine/test_positions.py imports again
        compare(kinds[0], schema)


def compare_variant(kinds, schema, tag):
    """Assert that exactly one of some types is that of a variant, or that all variants share one type."""
    if kinds == [views.ActionView]:
        assert (
            views.ActionView.__required_keys__
            <= fields_of(schema).keys()
            <= views.ActionView.__annotations__.keys()
        )
    else:
        (view,) = (kind for kind in kinds if tag in kinds_of(kind))
        assert typing.get_type_hints(view).keys() == fields_of(schema).keys(), tag


def plain_type(field):
    """Return the Python type of a field that is neither a list nor an object."""
    if isinstance(field, fields.Dict):
        return collections.abc.Mapping[str, int]
    return {fields.Boolean: bool, fields.Integer: int}.get(
        next(kind for kind in type(field).__mro__ if kind.__module__ == "marshmallow.fields"), str
    )
