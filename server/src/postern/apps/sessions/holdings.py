"""What organizations own of this app: live sessions keep theirs. Finished ones are records: they stay without it."""

from django.utils.translation import gettext_lazy as _

from postern.apps.orgs import facade as orgs
from postern.apps.sessions.queries import live_sessions


def register() -> None:
    """Tell the organizations; called once, when the app registry is ready."""
    orgs.register_holding(orgs.Holding(label=_("Live sessions"), rows=live_sessions))
