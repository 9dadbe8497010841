"""Pages that people see in place of the task monitor, and the policy of its own pages."""

from typing import Final

from django.http import HttpResponse
from django.utils import translation
from django.utils.html import format_html
from django.utils.translation import gettext as _

from postern.foundation.pages.redirects import HOME

#: Flower's pages need scripts and styles of their own. The only script inside a page is this one, so others, which a name
#: of a task or worker could smuggle in, do not run.
_INLINE: Final = "A0YIP5A+DKoseGAUTHRoMPDkKPK5cKzfYH3mjcCKtj8="
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' 'sha256-{_INLINE}'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
_OWN_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_PAGE: Final = """<!doctype html>
<html lang="{}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
{}<title>{}</title><style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 1.25rem }}
h1 {{ font-size: 1.35rem; font-weight: 600; margin: 0 0 .5rem }}
p {{ margin: 0 0 1rem; opacity: .85 }}
a {{ margin-inline-end: 1.25rem }}
</style></head><body><main><h1>{}</h1><p>{}</p><p>{}</p></main></body></html>
"""


def starting() -> HttpResponse:
    """The monitor takes longer than usual to start. The page asks again by itself."""
    return _page(
        _("The task monitor is starting"),
        _("This takes some seconds on a busy machine. The page opens by itself."),
        status=503,
        again_s=3,
    )


def silent() -> HttpResponse:
    """The monitor did not start, or does not answer."""
    text = _(
        "It was ended and starts anew when you open it again. If that does not help, the log of the web service says why."
    )
    return _page(_("The task monitor does not answer"), text, status=503)


def failed() -> HttpResponse:
    """The monitor answered with an error of its own."""
    text = _(
        "It could not build this page. Try again in a moment. If that does not help, the log of the web service says why. "
        "Jobs go on, and the job center shows them."
    )
    return _page(_("The task monitor reports an error"), text, status=503)


def refused() -> HttpResponse:
    """Somebody who may not see the monitor."""
    return _page(_("No access to the task monitor"), _("Only system administrators may open it."), status=403)


def _page(title: str, text: str, *, status: int, again_s: int | None = None) -> HttpResponse:
    refresh = format_html('<meta http-equiv="refresh" content="{}">', again_s) if again_s else ""
    links = format_html('<a href="{}">{}</a>', HOME, _("Back to the console"))
    if status == 503:
        links = format_html('<a href="">{}</a>{}', _("Try again"), links)
    body = format_html(_PAGE, translation.get_language() or "en", refresh, title, title, text, links)
    response = HttpResponse(body, status=status)
    response.headers["Content-Security-Policy"] = _OWN_POLICY
    response.headers["Cache-Control"] = "no-store"
    if status == 503:
        response.headers["Retry-After"] = str(again_s or 5)
    return response
