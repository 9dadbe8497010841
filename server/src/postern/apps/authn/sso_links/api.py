"""`authentication/sso/login-url/` makes a link; `authentication/sso/login/` is the link, and signs in with its key.

Opening the link has no effect, because mail scanners and previews open links, too. It redirects to the sign-in page
with the key after `#`, which browsers do not send to servers. The page removes the key from the address and posts it.
"""

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.credentials.actions.login_sessions import find_by_session
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.sign_in.api import device_cookie, pending, web_session
from postern.apps.authn.sign_in.api.device_cookie import DeviceCookieView
from postern.apps.authn.sign_in.api.sign_in import LOGIN_PAGE, after_first_factor, end_previous
from postern.apps.authn.sso_links.actions import issuing, signing_in
from postern.apps.authn.sso_links.errors import SomebodyElseHere
from postern.apps.authn.sso_links.models import MOST_TARGET_CHARS, SsoLink
from postern.apps.authn.sso_links.policy import console_path
from postern.foundation.pages.redirects import HOME, safe_next
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.views import PosternView

_MOST_KEY_CHARS = 128


class LinkSerializer(BodySerializer):
    """The user of the link, and the path to which it redirects."""

    username = PlainField(max_length=128)
    next = PlainField(max_length=MOST_TARGET_CHARS, required=False, allow_blank=True)

    def validate_next(self, text: str) -> str:
        """The path; an empty path is the start page."""
        target = console_path(text) if text else HOME
        if target is None:
            raise serializers.ValidationError(
                _("Enter a path of this console, such as /ui/assets. Encode other characters than those of ASCII.")
            )
        return target


class SsoLinkView(PosternView):
    """`POST {username, next?}` → `{"login_url"}`: a link that signs the user in, once."""

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema=texts("login_url"))}

    def get_serializer(self, *args: Any, **kwargs: Any) -> LinkSerializer:
        """The serializer, for OPTIONS."""
        return LinkSerializer(*args, **kwargs)

    def post(self, request: Request) -> Response:
        body = body_of(request, LinkSerializer)
        target = safe_next(body.get("next"), HOME)
        issued = issuing.issue(actor=self.actor, username=body["username"], target=target)
        return Response({"login_url": issued.address()})


class KeySerializer(BodySerializer):
    """`switch`: sign out the user who is signed in with this browser, if it is another user."""

    key = PlainField(max_length=_MOST_KEY_CHARS, allow_blank=True, write_only=True)
    switch = serializers.BooleanField(required=False, default=False)


class SsoSignInView(DeviceCookieView):
    """`GET ?authkey=&next=`: redirects to the sign-in page. `POST {key, switch?}`: signs in, with the responses of
    `authentication/sign-in/`.

    409 with the code `sso_other_user`: the browser is signed in as another user, and the link was not used.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False
    answers = {"get": Answer(302)}

    def get(self, request: Request) -> HttpResponse:
        # Ignore `next` here. It is stored with the link, so that nobody can change the target of the link.
        key = quote(request.query_params.get("authkey", "")[:_MOST_KEY_CHARS], safe="")
        answer = HttpResponseRedirect(f"{LOGIN_PAGE}?sso=1#{key}")
        answer["Cache-Control"], answer["Referrer-Policy"] = "no-store", "no-referrer"
        return answer

    def post(self, request: Request) -> Response:
        SessionAuthentication().enforce_csrf(request)
        body = body_of(request, KeySerializer)
        link = signing_in.find(body["key"])
        present = find_by_session(request._request.session)  # noqa: SLF001 - sessions belong to Django's request
        if not body["switch"]:
            _require_agreement(present, link)
        origin = web_session.origin_of(request)
        by_link = signing_in.prove(
            link,
            remote_addr=origin.remote_addr,
            user_agent=origin.user_agent,
            device_of=lambda username: device_cookie.visitor_of(request, username).device,
        )
        proof = by_link.proof
        if present is not None and present.user_id == proof.user.pk:  # already signed in as this user, with all factors
            return Response(pending.after_sign_in(proof.user, by_link.target))
        end_previous(request._request)  # noqa: SLF001 - as above
        with transaction.atomic():
            if signing_in.hold(by_link):
                came_by = replace(origin, backend=signing_in.BACKEND)
                return Response(after_first_factor(request, proof, came_by, by_link.target))
        raise signing_in.refuse(by_link)


def _require_agreement(present: LoginSession | None, link: SsoLink | None) -> None:
    """Require agreement before the link signs another user out. Otherwise an attacker could send a link for their own
    account, and the victim would work in that account.
    """
    if present is None or link is None or not signing_in.is_waiting(link) or present.user_id == link.user_id:
        return
    raise SomebodyElseHere(str(present.user), str(link.user))
