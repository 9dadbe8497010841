"""The commands of a list as an HTML report (contract: `commands/export/`)."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from postern.apps.sessions.commands.models import Command
from postern.foundation.rest.exchange import exporting, html_report, rows
from postern.foundation.rest.exchange.cells import Cell
from postern.foundation.rest.formats import DISPLAY_FORMAT

#: A report that a browser shows must not run anything (K57: content of others cannot act as a page of ours).
_CSP: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def report(view: Any) -> StreamingHttpResponse:
    """The answer with the report of the commands that the request's filters select. What looks like a secret is hidden.

    Raises TooManyRows.
    """
    keys = rows.selected_keys(view)
    title = _("Commands")
    facts = {
        _("Created by"): view.actor.label,
        _("Time"): timezone.localtime().strftime(DISPLAY_FORMAT),
        _("Commands"): str(len(keys)),
        _("Filters"): _filters(exporting.query_of(view)),
    }
    form = exporting.Form(
        html_report.EXTENSION,
        html_report.CONTENT_TYPE,
        partial(html_report.HtmlReport, language=get_language() or "en", title=title, facts=facts),
    )
    answer = exporting.send(view, exporting.Table(_titles(), _cells(view, keys)), form)
    answer["Content-Security-Policy"] = _CSP
    return answer


def _filters(query: Mapping[str, Any]) -> str:
    parts = [f"{name} = {value if isinstance(value, str) else ', '.join(value)}" for name, value in query.items()]
    return "; ".join(parts)


def _titles() -> list[str]:
    return [
        _("Time"),
        _("User"),
        _("Asset"),
        _("System user"),
        _("Command"),
        _("Output"),
        _("Risk level"),
        _("Decision"),
        _("Session ID"),
    ]


def _cells(view: Any, keys: list[Any]) -> Iterator[list[Cell]]:
    for chunk in rows.in_chunks(view, keys):
        yield from map(_cells_of, chunk)


def _cells_of(command: Command) -> list[Cell]:
    return [
        timezone.localtime(command.at).strftime(DISPLAY_FORMAT),
        command.user,
        command.asset,
        command.system_user,
        *command.shown,
        str(command.get_risk_level_display()),
        str(command.get_decision_display()),
        str(command.session_id),
    ]
