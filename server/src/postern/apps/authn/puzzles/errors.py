"""The refusal of attempts without a solved puzzle."""

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from postern.apps.authn.puzzles.puzzle import Puzzle
from postern.kernel.errors import PosternError


class PuzzleRequired(PosternError):
    """A puzzle must be solved first. Nothing was compared, counted or sent. The response contains the puzzle."""

    code = "puzzle_required"

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        super().__init__(
            _(
                "This browser has to do a short calculation first, which the sign-in page starts by itself. "
                "Reload the page and try again."
            )
        )

    @property
    def fields(self) -> dict[str, Any]:
        """The response body, in the form of refused sign-ins: `{"error": slug, "msg": text, "puzzle": {…}}`."""
        return {"error": self.code, "msg": self.message, "puzzle": asdict(self.puzzle)}
