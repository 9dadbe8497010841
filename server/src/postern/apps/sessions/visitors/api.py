"""The internal API of visitors: users sign in through a proxy and list their assets.

It only translates between HTTP and the actions.
"""

from typing import Final

import msgspec
from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request

from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.preferences import facade as preferences
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.apps.sessions.terminals.errors import MalformedMessage
from postern.apps.sessions.visitors import actions, queries
from postern.contracts import access

MAX_NAME_CHARS: Final = 256
#: Requests of each kind that a proxy may make per minute: lists of assets, reports of tickets.
MOST_QUESTIONS: Final = 12_000
MOST_REPORTS: Final = 1_200


class SignInView(InternalView):
    """Base of the ways to sign in. The meaning of the SSH user name is returned with the ticket, not before."""

    def signed_in(self, answer: access.SignInAnswer, login: access.LoginNameAnswer) -> HttpResponse:
        return self.answer(msgspec.structs.replace(answer, login=login) if answer.user is not None else answer)


class SignInPasswordView(SignInView):
    def post(self, request: Request) -> HttpResponse:
        asked = self.message(request, access.SignInPassword)
        login = queries.read_login_name(asked.username)
        answer = authn.check_password(
            username=login.username[:MAX_NAME_CHARS],
            password=asked.password,
            attempt=asked.attempt,
            remote_addr=asked.remote_addr[:MAX_NAME_CHARS],
            login_from=asked.login_from,
            proxy_id=self.terminal.pk,
        )
        return self.signed_in(answer, login)


class PublicKeyOfferView(InternalView):
    """Anyone who reaches the proxy can offer keys, so the limit is per client address and not for all together."""

    def post(self, request: Request) -> HttpResponse:
        offer = self.message(request, access.PublicKeyOffer)
        username = queries.read_login_name(offer.username).username
        acceptable = authn.public_key_acceptable(username=username[:MAX_NAME_CHARS], public_key=offer.public_key)
        return self.answer(access.PublicKeyAnswer(acceptable=acceptable))


class SignInPublicKeyView(SignInView):
    def post(self, request: Request) -> HttpResponse:
        sign_in = self.message(request, access.SignInPublicKey)
        try:
            proof = authn.read_proof(sign_in.signed, sign_in.signature)
        except authn.ProofProblem as error:
            raise MalformedMessage(f"not a signed request to sign in: {error} - at `$.signed`") from error
        login = queries.read_login_name(proof.username)
        answer = authn.sign_in_with_public_key(
            username=login.username[:MAX_NAME_CHARS],
            proof=proof,
            attempt=sign_in.attempt[:MAX_NAME_CHARS],
            remote_addr=sign_in.remote_addr[:MAX_NAME_CHARS],
            login_from=sign_in.login_from,
            proxy_id=self.terminal.pk,
        )
        return self.signed_in(answer, login)


class SignInCodeView(SignInView):
    def post(self, request: Request) -> HttpResponse:
        sign_in = self.message(request, access.SignInCode)
        answer = authn.sign_in_with_code(
            token=sign_in.token[:MAX_NAME_CHARS],
            code=sign_in.code[:MAX_NAME_CHARS],
            attempt=sign_in.attempt,
            remote_addr=sign_in.remote_addr[:MAX_NAME_CHARS],
            proxy_id=self.terminal.pk,
        )
        return self.signed_in(answer, queries.read_login_name(sign_in.username))


class TicketsView(InternalView):
    """Report of open and closed connections."""

    most_a_minute = MOST_REPORTS

    def post(self, request: Request) -> HttpResponse:
        report = self.message(request, access.TicketReport)
        if max(len(report.open), len(report.closed)) > access.MAX_TICKETS:
            raise MalformedMessage(f"a report can contain at most {access.MAX_TICKETS} tickets of each kind")
        void = actions.report(terminal=self.terminal, opened=report.open, closed=report.closed)
        return self.answer(access.TicketReportAnswer(void=void))


class ReachableAssetsView(InternalView):
    most_a_minute = MOST_QUESTIONS

    def post(self, request: Request) -> HttpResponse:
        query = self.message(request, access.ReachableQuery)
        visitor = actions.visitor_of(
            terminal=self.terminal, ticket=query.ticket, remote_addr=query.remote_addr, wanted="assets"
        )
        if isinstance(visitor, access.Denial):
            return self.answer(access.ReachablePage(count=0, assets=(), denial=visitor))
        return self.answer(
            perms.reachable_assets(
                user_id=visitor.identity.id,
                search=query.search[:256],
                protocol=query.protocol,
                offset=max(query.offset, 0),
                limit=min(max(query.limit, 0), 500),
                order_by=preferences.get_str("TERMINAL_ASSET_LIST_SORT_BY"),
            )
        )


_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

internal_urlpatterns = [
    path(_PREFIX + access.SIGN_IN_PASSWORD, SignInPasswordView.as_view()),
    path(_PREFIX + access.PUBLIC_KEY_OFFER, PublicKeyOfferView.as_view()),
    path(_PREFIX + access.SIGN_IN_PUBLIC_KEY, SignInPublicKeyView.as_view()),
    path(_PREFIX + access.SIGN_IN_CODE, SignInCodeView.as_view()),
    path(_PREFIX + access.TICKETS, TicketsView.as_view()),
    path(_PREFIX + access.REACHABLE_ASSETS, ReachableAssetsView.as_view()),
]
