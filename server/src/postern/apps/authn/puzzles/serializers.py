"""The solution of a puzzle in a request."""

from typing import Any

from rest_framework import serializers

from postern.apps.authn.puzzles.puzzle import MAX_TOKEN_CHARS, MOST, Solution
from postern.foundation.rest.bodies import BodySerializer


class SolutionSerializer(BodySerializer):
    """`{"token", "number"}`: the puzzle's token and the solution."""

    token = serializers.CharField(max_length=MAX_TOKEN_CHARS)
    number = serializers.IntegerField(min_value=0, max_value=MOST - 1)


def solution_in(body: dict[str, Any]) -> Solution | None:
    """The solution in a validated body with the optional field `puzzle`."""
    fields = body.get("puzzle")
    return Solution(token=fields["token"], number=fields["number"]) if fields else None
