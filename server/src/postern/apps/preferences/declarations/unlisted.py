"""Public settings that no form changes."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import boolean, integer

DECLARED: Final = (
    # Off, because the product has no tickets yet.
    boolean("TICKETS_ENABLED", _("Tickets"), default=False, is_public=True),
    boolean("LOGIN_CONFIRM_ENABLE", _("Login confirmation"), default=False, is_public=True),
    boolean("SECURITY_VIEW_AUTH_NEED_MFA", _("MFA to view secrets"), default=True, is_public=True),
    integer("SECURITY_MFA_VERIFY_TTL", _("MFA verification lifetime"), 3600, (60, 86_400), is_public=True),
    boolean("SECURITY_LUNA_REMEMBER_AUTH", _("Remember manual credentials"), default=True, is_public=True),
    boolean("WINDOWS_SKIP_ALL_MANUAL_PASSWORD", _("Skip manual passwords"), default=False, is_public=True),
)
