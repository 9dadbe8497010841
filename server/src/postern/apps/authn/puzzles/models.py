"""The table of used solutions."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import SavedRow


class UsedPuzzle(SavedRow):
    """A puzzle whose solution was used. The row can be deleted after the expiry, when the solution is refused as
    expired.
    """

    token_hash = models.CharField(max_length=64, primary_key=True, editable=False)
    date_expired = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("Used puzzle")

    def __str__(self) -> str:
        return f"used puzzle {self.token_hash[:8]}"
