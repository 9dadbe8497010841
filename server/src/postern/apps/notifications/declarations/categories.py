"""The groups of message types on the subscription screen."""

from typing import Final

from django.utils.translation import gettext_lazy as _

SECURITY: Final = ("security", _("Security"))
TERMINAL: Final = ("terminal", _("Sessions"))
OPERATIONS: Final = ("operations", _("Operations"))
