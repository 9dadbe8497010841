"""Pages outside the API: the sign-in page, and redirects from older addresses to the profile page."""

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
#: Older address below `/core/auth/profile/` → tab of the profile page, and the dialog to open there.
OWN_DIALOGS: Final = {
    "otp/enable/start": ("info", "mfa-enable"),
    "otp/disable/authentication": ("info", "mfa-disable"),
    "otp/update": ("info", "mfa-update"),
    "pubkey/generate": ("ssh-key", "key-generate"),
}


@open_page
@require_safe
def login_page(request: HttpRequest) -> HttpResponse:
    """`/login` and `/core/auth/login/`: the sign-in page.

    Sets the CSRF cookie. After sign-in it redirects to `?next=`. Signed-in users are redirected there at once, except
    from an SSO link (`?sso=1`), which may be for another user.
    """
    get_token(request)
    if "sso" not in request.GET and find_by_session(request.session) is not None:
        return HttpResponseRedirect(safe_next(request.GET.get("next", ""), HOME))
    answer: HttpResponse = serve_console(request)
    return answer


@open_page
@require_safe
def forgot_page(request: HttpRequest) -> HttpResponse:
    """`/core/auth/password/forgot/`: redirects to the page for forgotten passwords."""
    del request
    return HttpResponseRedirect(f"{HOME}set-password?forgot=1")


@open_page
@require_safe
def own_dialog(request: HttpRequest, name: str) -> HttpResponse:
    """An older page about the user's own second factor or key: redirects to the dialog of the profile page."""
    tab, dialog = OWN_DIALOGS[name]
    target = safe_next(request.GET.get("next", ""), "")
    query = {"activeTab": tab, "dialog": dialog, **({"next": target} if target else {})}
    return HttpResponseRedirect(f"{PROFILE_PAGE}?{urlencode(query)}")
