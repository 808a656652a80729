"""Fields of request bodies: the work that an invalid body causes is bounded."""

import pytest
from marshmallow import ValidationError

from skye_server.contract.enums import GameStatus
from skye_server.contract.fields import Integer
from skye_server.contract.objects import ListOf, Object
from skye_server.error_codes import MAX_ERRORS


class CountingInteger(Integer):
    """An integer that counts how many values it has validated."""

    validated = 0

    def _deserialize(self, *arguments, **options):
        self.validated += 1
        return super()._deserialize(*arguments, **options)


def test_long_list_of_invalid_elements_is_validated_up_to_the_maximum():
    element = CountingInteger(0, 9, "A digit.")
    with pytest.raises(ValidationError) as caught:
        ListOf(element, "Digits.").deserialize(["x"] * 2000)
    assert (len(caught.value.messages), element.validated) == (MAX_ERRORS, MAX_ERRORS)


def test_long_list_of_valid_elements_is_loaded_whole():
    assert ListOf(Integer(0, 9, "A digit."), "Digits.").deserialize([1.0] * 2000) == [1] * 2000


def test_object_with_many_unknown_fields_reports_the_first():
    with pytest.raises(ValidationError) as caught:
        Object().load({f"field{number:05}": 1 for number in range(20_000)})
    assert sorted(caught.value.messages) == [f"field{number:05}" for number in range(MAX_ERRORS)]


def test_enumeration_with_words_of_requests_refuses_the_words_of_responses_only():
    statuses = ["lobby", "playing", "finished", "aborted"]
    assert [accepts(GameStatus(), status) for status in statuses] == [True, True, True, False]
    assert GameStatus(in_response=True).metadata["x-extensible-enum"] == statuses


def accepts(field, value):
    try:
        field.deserialize(value)
    except ValidationError:
        return False
    return True
