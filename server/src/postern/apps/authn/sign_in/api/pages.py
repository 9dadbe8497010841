"""Pages outside the API: the sign-in page itself, and older addresses of what the profile page does today."""

from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.views.decorators.http import require_safe

from postern.apps.authn.credentials.actions.login_sessions import find_by_session
from postern.foundation.pages.console_files import serve_console
from postern.foundation.pages.pages import open_page
from postern.foundation.pages.redirects import HOME, safe_next

PROFILE_PAGE: Final = f"{HOME}users/profile"
#: Older address below `/core/auth/profile/` → tab of the profile page, and the dialog that opens there.
OWN_DIALOGS: Final = {
    "otp/enable/start": ("info", "mfa-enable"),
    "otp/disable/authentication": ("info", "mfa-disable"),
    "otp/update": ("info", "mfa-update"),
    "pubkey/generate": ("ssh-key", "key-generate"),
}


@open_page
@require_safe
def login_page(request: HttpRequest) -> HttpResponse:
    """`/login` and `/core/auth/login/`: the sign-in page, served here for a console at whatever place.

    It sets the CSRF cookie. After signing in it goes to `?next=`, where somebody who is signed in goes at once.
    """
    get_token(request)
    if find_by_session(request.session) is not None:
        return HttpResponseRedirect(safe_next(request.GET.get("next", ""), HOME))
    answer: HttpResponse = serve_console(request)
    return answer


@open_page
@require_safe
def own_dialog(request: HttpRequest, name: str) -> HttpResponse:
    """An older page about the own second factor or key: leads to the dialog of the profile page."""
    tab, dialog = OWN_DIALOGS[name]
    target = safe_next(request.GET.get("next", ""), "")
    query = {"activeTab": tab, "dialog": dialog, **({"next": target} if target else {})}
    return HttpResponseRedirect(f"{PROFILE_PAGE}?{urlencode(query)}")
