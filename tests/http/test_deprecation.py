"""The announcement that an operation will be removed, on an operation that only this test has."""

from datetime import date

import pytest
from flask import Blueprint

from skye_server.error_codes import Problem
from skye_server.http.responses import json_response
from skye_server.openapi import contract_of
from skye_server.openapi.operations import deprecated, operation
from tests.support.playing import Service

blueprint = Blueprint("Old", __name__)


@blueprint.route("/v1/old")
@deprecated(date(2027, 1, 1), date(2027, 7, 2), "/v1/new")
@operation(errors=["game_not_found"])
def get_old():
    """Get what is old.

    It will be removed.
    """
    return json_response({})


@blueprint.route("/v1/old/missing")
@deprecated(date(2027, 1, 1), date(2027, 7, 2), "/v1/new")
@operation(errors=["game_not_found"])
def get_missing():
    """Get what is missing.

    It will be removed.
    """
    raise Problem("game_not_found")


@pytest.fixture
def service():
    made = Service()
    contract_of(made.app).register(blueprint, "Operations that will be removed.")
    return made


@pytest.mark.parametrize(("path", "status"), [("/v1/old", 200), ("/v1/old/missing", 404)])
def test_response_of_a_deprecated_operation_has_its_dates(service, path, status):
    answer = service.call("GET", path)
    assert answer.status_code == status
    assert answer.headers["Deprecation"] == "@1798761600"
    assert answer.headers["Sunset"] == "Fri, 02 Jul 2027 00:00:00 GMT"
    links = ", ".join(answer.headers.getlist("Link"))
    assert '</v1/new>; rel="successor-version"' in links
    assert '</docs/versions#deprecation>; rel="deprecation"' in links


def test_response_of_another_operation_has_no_dates(service):
    assert not {"Deprecation", "Sunset"} & set(service.call("GET", "/v1/tiles").headers.keys())


def test_deprecated_operation_is_marked_in_the_contract(service):
    paths = contract_of(service.app).document["paths"]
    assert paths["/v1/old"]["get"]["deprecated"] is True
    assert "deprecated" not in paths["/v1/tiles"]["get"]


def test_sunset_earlier_than_promised_is_refused():
    with pytest.raises(ValueError, match="less than six months"):
        deprecated(date(2027, 1, 1), date(2027, 6, 1), "/v1/new")
