"""Redeems connection tokens and watch tokens: each opens one session, or one view, and works once (K18: a token is
shown once and works once).

The proxy may repeat the same attempt when the response was lost: it gets the same session or view, and nothing is done
or recorded twice.
"""

import msgspec
from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.sessions import messages
from postern.apps.sessions.sessions import policy, queries
from postern.apps.sessions.sessions.actions import opening
from postern.apps.sessions.sessions.actions.opening import Wish
from postern.apps.sessions.sessions.models import ConnectionToken, Session, WatchToken
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.users import facade as users
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom, Protocol, SessionState
from postern.foundation.caller.actor import Actor
from postern.foundation.requests import attempts
from postern.kernel import clock, ids
from postern.kernel.ids import ROOT_ORG_ID

_TOKEN_DENIALS = {
    policy.TokenFault.UNKNOWN: DenialCode.TOKEN_UNKNOWN,
    policy.TokenFault.USED: DenialCode.TOKEN_USED,
    policy.TokenFault.EXPIRED: DenialCode.TOKEN_EXPIRED,
}


def redeem(*, terminal: Terminal, request: access.RedeemToken) -> access.AuthorizeAnswer:
    """Exchange a connection token for a session, or a watch token for a view of a session. Each works once."""
    identity = users.identity_of(request.user_id)
    if identity is None:
        # A proxy learns whether the user exists only with a token of that user.
        is_theirs = queries.token_exists(request.token, user_id=request.user_id, terminal_id=terminal.pk)
        refuse = _refuse_account if is_theirs else _refuse_stranger
        return access.AuthorizeAnswer(denial=refuse(terminal, request))
    with translation.override(identity.language):
        spent = _spend(terminal, identity, request)
        return opening.open_session(terminal, spent) if isinstance(spent, Wish) else spent


@transaction.atomic
def _spend(
    terminal: Terminal, identity: access.UserIdentity, request: access.RedeemToken
) -> Wish | access.AuthorizeAnswer:
    """Use up a token.

    A connection token opens its session afterwards: a failure there does not make the token valid again.
    """
    # before the token's row, in the order of the writes that end all access of a user
    epoch = users.hold_epoch(identity.id)
    hashed = ids.token_hash(request.token)
    token = ConnectionToken.objects.select_for_update().filter(token_hash=hashed).first()
    if token is not None:
        return _spend_connection(terminal, token, identity, request, epoch)
    watch = (
        WatchToken.objects.select_for_update(of=("self",)).select_related("session").filter(token_hash=hashed).first()
    )
    if watch is not None:
        return _spend_watch(terminal, watch, identity, request, epoch)
    return _refuse_token(policy.TokenFault.UNKNOWN, terminal, identity, request)


def _spend_connection(
    terminal: Terminal,
    token: ConnectionToken,
    identity: access.UserIdentity,
    request: access.RedeemToken,
    epoch: int | None,
) -> Wish | access.AuthorizeAnswer:
    fault = _use(token, terminal, request)
    if fault is not None:
        return _refuse_token(fault, terminal, identity, request)
    if token.denial is not None:
        return access.AuthorizeAnswer(denial=msgspec.convert(token.denial, access.Denial))
    if not _maker_holds(token, epoch):
        return _keep(token, _refuse_token(policy.TokenFault.EXPIRED, terminal, identity, request))
    return Wish(
        identity=identity,
        asset=str(token.asset_id),
        system_user=str(token.system_user_id),
        protocol=Protocol(token.protocol),
        login_from=LoginFrom.WEB_TERMINAL,
        remote_addr=request.remote_addr,
        login_session=token.login_session,
        credential=token.credential,
        epoch=token.epoch,
        token_id=token.pk,
    )


def _use(
    token: ConnectionToken | WatchToken, terminal: Terminal, request: access.RedeemToken
) -> policy.TokenFault | None:
    """Use up the token, unless the same attempt has just done so. Returns the fault of the token, or None."""
    name = attempts.name_of(request.attempt, terminal.pk, token.pk, request.user_id, request.remote_addr)
    fault = policy.token_fault(_facts(token), user_id=request.user_id, terminal_id=terminal.pk, now=clock.now())
    if fault is policy.TokenFault.USED and attempts.is_repeated(
        name, stored=token.attempt_hash, first_at=token.date_used
    ):
        return None
    if fault is None:
        token.date_used, token.attempt_hash = clock.now(), name
        token.save(update_fields=["date_used", "attempt_hash"])
    return fault


def _keep(token: ConnectionToken | WatchToken, answer: access.AuthorizeAnswer) -> access.AuthorizeAnswer:
    """Store the refusal, so that a repeated attempt gets it again."""
    token.denial = msgspec.to_builtins(answer.denial)
    token.save(update_fields=["denial"])
    return answer


def _maker_holds(token: ConnectionToken | WatchToken, epoch: int | None) -> bool:
    """Whether the sign-in, bearer token or access key that created the token is still valid."""
    if token.epoch is None or token.epoch != epoch:
        return False
    return authn.hold_maker(login_session=token.login_session, credential=token.credential)


def _spend_watch(
    terminal: Terminal,
    watch: WatchToken,
    identity: access.UserIdentity,
    request: access.RedeemToken,
    epoch: int | None,
) -> access.AuthorizeAnswer:
    is_repeated = watch.date_used is not None
    fault = _use(watch, terminal, request)
    if fault is None and watch.date_stopped is not None:
        fault = policy.TokenFault.USED
    if fault is not None:
        return _refuse_token(fault, terminal, identity, request)
    if watch.denial is not None:
        return access.AuthorizeAnswer(denial=msgspec.convert(watch.denial, access.Denial))
    if not _maker_holds(watch, epoch):
        return _keep(watch, _refuse_token(policy.TokenFault.EXPIRED, terminal, identity, request))
    session = watch.session
    actor = messages.person(identity, request.remote_addr, watch.login_session)
    denial = _watch_denial(actor, session, identity)
    if denial is not None:
        return _keep(watch, access.AuthorizeAnswer(denial=denial))
    if not is_repeated:
        opening.record(actor, session, audits.Event.SESSION_WATCHED, None)
    return access.AuthorizeAnswer(watch=access.WatchGrant(session_id=session.pk, watcher=identity, watch_id=watch.pk))


def _watch_denial(actor: Actor, session: Session, identity: access.UserIdentity) -> access.Denial | None:
    """Why the user may not watch the session (audited), or None."""
    unmet = authn.unmet_condition(identity.id)
    if unmet is not None:
        opening.record(actor, session, audits.Event.SESSION_WATCH_REFUSED, {"code": unmet.code.value})
        return unmet
    standing = queries.standing_of(identity.id, session.org_id)
    if standing is None or not policy.may_see(standing):
        return _deny_watch(actor, session, DenialCode.NO_PERMISSION)
    if session.state != SessionState.ACTIVE.value:
        return _deny_watch(actor, session, DenialCode.SESSION_UNKNOWN)
    return None


def _facts(token: ConnectionToken | WatchToken) -> policy.TokenFacts:
    return policy.TokenFacts(
        user_id=token.user_id,
        terminal_id=token.terminal_id,
        date_expired=token.date_expired,
        date_used=token.date_used,
    )


def _refuse_token(
    fault: policy.TokenFault, terminal: Terminal, identity: access.UserIdentity, request: access.RedeemToken
) -> access.AuthorizeAnswer:
    if fault is policy.TokenFault.UNKNOWN:
        return access.AuthorizeAnswer(denial=_refuse_stranger(terminal, request))
    audits.record(
        actor=messages.person(identity, request.remote_addr),
        org_id=ROOT_ORG_ID,
        event=audits.Event.TOKEN_REFUSED,
        object_type="ConnectionToken",
        object_name=ids.token_hash(request.token)[:8],
        new={"fault": fault.value},
    )
    texts = {
        policy.TokenFault.USED: _("This link to the session has already been used. Open the session again."),
        policy.TokenFault.EXPIRED: _("This link to the session has expired. Open the session again."),
    }
    return access.AuthorizeAnswer(denial=access.Denial(code=_TOKEN_DENIALS[fault], message=texts[fault]))


@transaction.atomic
def _refuse_account(terminal: Terminal, request: access.RedeemToken) -> access.Denial:
    del terminal
    known = users.brief([request.user_id]).get(request.user_id)
    who = access.UserIdentity(
        id=request.user_id,
        username=known.username if known else "",
        name=known.name if known else "",
        language=(known.language if known else "") or get_language() or settings.LANGUAGE_CODE,
    )
    audits.record(
        actor=messages.person(who, request.remote_addr),
        org_id=ROOT_ORG_ID,
        event=audits.Event.SESSION_REFUSED,
        object_type="User",
        object_id=str(request.user_id),
        object_name=who.username,
        new={"code": DenialCode.USER_INACTIVE.value},
    )
    with translation.override(who.language):
        return access.Denial(code=DenialCode.USER_INACTIVE, message=_("Your account is closed. Ask an administrator."))


@transaction.atomic
def _refuse_stranger(terminal: Terminal, request: access.RedeemToken) -> access.Denial:
    """Refuse without revealing anything about the user.

    The audit record names the proxy, because only the proxy claims who is connected.
    """
    audits.record(
        actor=messages.component(terminal.name, terminal.remote_addr or None),
        org_id=ROOT_ORG_ID,
        event=audits.Event.TOKEN_REFUSED,
        object_type="ConnectionToken",
        object_name=ids.token_hash(request.token)[:8],
        new={"fault": policy.TokenFault.UNKNOWN.value, "claimed_user_id": request.user_id},
    )
    # In the installation's language: the user's own language would reveal that the user exists.
    with translation.override(settings.LANGUAGE_CODE):
        message = _("This link to the session is not valid. Open the session again.")
    return access.Denial(code=DenialCode.TOKEN_UNKNOWN, message=message)


def _deny_watch(actor: Actor, session: Session, code: DenialCode) -> access.Denial:
    opening.record(actor, session, audits.Event.SESSION_WATCH_REFUSED, {"code": code.value})
    if code is DenialCode.SESSION_UNKNOWN:
        return access.Denial(code=code, message=_("This session has ended."))
    return access.Denial(code=code, message=_("You do not have permission to watch this session."))
