"""The composition root of the app stack: which app receives which event, and which app answers which question.

An app imports only apps below it in the stack. What it needs from apps above it is a `Provided` slot
(`foundation/provided.py`). This module fills these slots once, after Django has loaded all models (`apps.py`). Routes,
websockets and the schedule are composed in `urls.py`, `websockets.py` and `celery.py`.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.db.backends.signals import connection_created
from django.db.models.signals import post_delete

from postern.apps.acls import subscriptions as acl_events
from postern.apps.acls.command_filters.actions import FiltersOfSystemUsers
from postern.apps.applications import holdings as applications
from postern.apps.applications.accounts import uses as application_account_uses
from postern.apps.applications.managed import uses as application_uses
from postern.apps.applications.managed.uses import of_domain
from postern.apps.assets import holdings as assets
from postern.apps.assets.assets import admin_users, gateways
from postern.apps.assets.domains import uses as domain_uses
from postern.apps.assets.installation import ensure as ensure_assets
from postern.apps.audits import actions as audit_actions
from postern.apps.audits import facade as audits
from postern.apps.audits import membership
from postern.apps.audits import queries as audit_queries
from postern.apps.audits.api import serializers as event_words
from postern.apps.authn import holdings as authn
from postern.apps.authn import subscriptions as authn_events
from postern.apps.authn.authentication.api import (
    BearerAuthentication,
    CookieAuthentication,
    SignatureAuthentication,
    WithdrawnSchemes,
)
from postern.apps.authn.callers import identity as sign_ins
from postern.apps.authn.credentials import callers, freshness
from postern.apps.authn.external import queries as external_accounts_of_users
from postern.apps.authn.lock_out import guard, locks
from postern.apps.authn.models import TotpDevice
from postern.apps.authn.openid import provider_secrets, signing_out
from postern.apps.authn.openid.queries import PROVIDERS as OPENID_PROVIDERS
from postern.apps.authn.saml import signing_keys
from postern.apps.authn.saml import signing_out as saml_signing_out
from postern.apps.authn.saml.queries import PROVIDERS as SAML_PROVIDERS
from postern.apps.authn.second_factors import totp_secrets
from postern.apps.authn.sign_in import password_paths, provider_logout
from postern.apps.authn.sign_in.ways import way_of_caller
from postern.apps.forwarding import subscriptions as forwarding_events
from postern.apps.forwarding.syslog import state as syslog_state
from postern.apps.jobs import holdings as jobs
from postern.apps.jobs import subscriptions as job_events
from postern.apps.jobs.account_tests.job import TEST_ACCOUNTS
from postern.apps.jobs.batch_commands.job import RUN_COMMANDS
from postern.apps.jobs.connectivity.job import TEST_ASSETS
from postern.apps.jobs.engine import kinds as job_kinds
from postern.apps.jobs.facts.job import REFRESH_ASSETS
from postern.apps.jobs.gateway_tests.job import TEST_GATEWAY
from postern.apps.jobs.host_tasks.uses import by_tasks
from postern.apps.jobs.hosts import link as runner
from postern.apps.jobs.node_checks.job import CHECK_NODES
from postern.apps.jobs.push.job import PUSH_ACCOUNTS
from postern.apps.jobs.task_monitor import link as task_monitor
from postern.apps.jobs.task_monitor.places import Places
from postern.apps.licence import facade as licence
from postern.apps.notifications import link_letters, link_tokens
from postern.apps.notifications import subscriptions as notification_events
from postern.apps.notifications.declarations import catalogue as message_catalogue
from postern.apps.notifications.models import DeliveryState, MessageDelivery, SystemMessageSubscription
from postern.apps.orgs import actions as org_actions
from postern.apps.orgs import facade as orgs
from postern.apps.orgs import people as organization_people
from postern.apps.orgs import tenancy
from postern.apps.perms import holdings as perms
from postern.apps.perms import subscriptions as perm_events
from postern.apps.perms.application_grants import uses as application_permission_uses
from postern.apps.perms.grants.uses import by_permissions
from postern.apps.perms.history.upkeep import ensure as ensure_history
from postern.apps.plans.applying.api import views as plan_views
from postern.apps.preferences import diagnostics, environment, setting_secrets, sign_in_buttons, sign_in_ways
from postern.apps.preferences import facade as preferences
from postern.apps.sessions import body_limits
from postern.apps.sessions import holdings as sessions
from postern.apps.sessions import subscriptions as session_events
from postern.apps.sessions.confirmations import reviewing
from postern.apps.sessions.evidence import actions as evidence
from postern.apps.sessions.evidence import verification
from postern.apps.sessions.recordings import uses as recording_uses
from postern.apps.sessions.search import sqlite_functions
from postern.apps.sessions.storages import uses as storage_uses
from postern.apps.sessions.storages.installation import ensure as ensure_storages
from postern.apps.sessions.terminals import queries as terminals
from postern.apps.sessions.terminals.actions import storage_names
from postern.apps.users import holdings as users
from postern.apps.users.accounts import callers as caller_checks
from postern.apps.users.credentials import kinds as credentials
from postern.apps.users.credentials import link_mail
from postern.apps.users.memberships import in_organizations
from postern.apps.users.people import external_accounts, login_locks, second_factors
from postern.apps.users.people import queries as user_queries
from postern.apps.vault import holdings as vault
from postern.apps.vault import subscriptions as vault_events
from postern.apps.vault.gateways.queries import Gateways
from postern.apps.vault.models import AccountVersion
from postern.apps.vault.sealed_secrets import providers as secret_stores
from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.federated_secrets import CLIENT_SECRETS, DECRYPTION_KEYS, SIGNING_KEYS
from postern.apps.vault.sealed_secrets.installation import ensure as ensure_vault
from postern.apps.vault.sealed_secrets.setting_secrets import SealedSettingSecrets
from postern.apps.vault.sealed_secrets.totp_secrets import SealedTotpSecrets
from postern.apps.vault.system_users import command_filters
from postern.apps.vault.system_users import uses as system_user_uses
from postern.apps.vault.system_users.places import VERSIONS
from postern.apps.vault.system_users.queries import AdminUsers
from postern.entrypoints.environments import environ_of
from postern.foundation import installation, licensing, phrases
from postern.foundation.bus import events, outbox
from postern.foundation.caller import identity
from postern.foundation.database import write_transaction
from postern.foundation.parts import health
from postern.foundation.requests import middleware, request_kinds
from postern.foundation.rest import fresh_mfa
from postern.foundation.rest.exchange import importing, trail
from postern.proxies.core import texts

#: In stack order from bottom to top. Subscribers of the same event are called in this order.
_SUBSCRIPTIONS: Final = (
    *authn_events.SUBSCRIPTIONS,
    *vault_events.SUBSCRIPTIONS,
    *perm_events.SUBSCRIPTIONS,
    *acl_events.SUBSCRIPTIONS,
    *session_events.SUBSCRIPTIONS,
    *job_events.SUBSCRIPTIONS,
    *notification_events.SUBSCRIPTIONS,
    *forwarding_events.SUBSCRIPTIONS,
)


def compose() -> None:
    """Connect the apps. Calling it again has no further effect."""
    _compose_events()
    _compose_callers()
    _compose_audit()
    _compose_people()
    _compose_organizations()
    _compose_requests()
    job_kinds.KINDS.provide(
        job_kinds.Kinds(
            CHECK_NODES, TEST_ASSETS, REFRESH_ASSETS, TEST_ACCOUNTS, PUSH_ACCOUNTS, TEST_GATEWAY, RUN_COMMANDS
        )
    )
    # Started by a worker when its first job needs it.
    runner.RUNNER.provide(
        runner.RunnerLink([sys.executable, "-m", "postern.entrypoints", "runner"], environ_of("runner", os.environ))
    )
    # Started by a web process when a person opens it.
    task_monitor.MONITOR.provide(
        task_monitor.MonitorLink(
            [sys.executable, "-m", "postern.entrypoints", "monitor"],
            environ_of("monitor", os.environ),
            Places.of(settings.POSTERN),
        )
    )
    installation.STEPS.provide(
        (
            org_actions.ensure_default_organization,
            ensure_assets,
            ensure_vault,
            ensure_history,
            ensure_storages,
            evidence.adopt_earlier,
        )
    )
    checks = {**health.OWN_CHECKS, "proxy": terminals.require_a_proxy}
    if secret_stores.is_configured():
        checks[health.SECRET_STORE] = secret_stores.require_store
    health.CHECKS.provide(checks)


def _compose_events() -> None:
    events.BUS.provide(events.Bus(_SUBSCRIPTIONS))
    outbox.RECEIVERS.provide(outbox.receivers_of(_SUBSCRIPTIONS))


def _compose_callers() -> None:
    identity.CALLERS.provide(
        identity.Callers(
            authenticators=(BearerAuthentication, SignatureAuthentication, WithdrawnSchemes, CookieAuthentication),
            scope=sign_ins.scope_of_request,
            actor=sign_ins.actor_of_request,
            gate=sign_ins.require_conditions,
            standing=sign_ins.require_standing,
            org_name=orgs.name_of,
            root_org_name=lambda: preferences.get_str("GLOBAL_ORG_DISPLAY_NAME"),
        )
    )
    fresh_mfa.CHECK.provide(freshness.require)
    licensing.LICENCE.provide(licence.is_valid)


def _compose_audit() -> None:
    trail.RECORDER.provide(audits.record_export)
    write_transaction.GATHERING.provide(_gathering)
    event_words.NAMES_IN_WORDS.provide({SystemMessageSubscription.__name__: message_catalogue.words_for})
    audit_queries.VERIFIERS.provide((verification.verify,))
    membership.MEMBERS.provide(membership.Members(usernames=user_queries.usernames_in, labels=user_queries.labels_in))


@contextmanager
def _gathering() -> Iterator[None]:
    """What a write gathers until its end. Audit records come last: subscribers may add some."""
    with audit_actions.gathered(), events.gathering():
        yield


def _compose_people() -> None:
    """Connect what apps above `users` store about users and their credentials."""
    caller_checks.CHECKS.provide(
        caller_checks.CallerChecks(still_holds=callers.still_holds, has_lost_rights=callers.has_lost_rights)
    )
    login_locks.LOGIN_LOCKS.provide(login_locks.LoginLocks(locked=locks.locked_accounts, unlock=guard.unlock_account))
    external_accounts.BOUND.provide(external_accounts_of_users.bound_among)
    second_factors.RESET.provide(authn.reset_second_factor)
    link_mail.LINK_MAIL.provide(link_letters.queue)
    credentials.KINDS.provide((*credentials.OWN_KINDS, *authn.CREDENTIALS, *sessions.CREDENTIALS))
    totp_secrets.STORE.provide(SealedTotpSecrets())
    setting_secrets.STORE.provide(SealedSettingSecrets())
    diagnostics.SYSLOG.provide(syslog_state.facts)
    provider_secrets.STORE.provide(CLIENT_SECRETS)
    signing_keys.STORE.provide(SIGNING_KEYS)
    signing_keys.DECRYPTION.provide(DECRYPTION_KEYS)
    provider_logout.LOGOUT_ADDRESS_OF.provide(
        lambda ended: signing_out.logout_address(ended) or saml_signing_out.logout_address(ended)
    )
    sign_in_buttons.OPENID.provide(OPENID_PROVIDERS.buttons)
    sign_in_buttons.SAML.provide(SAML_PROVIDERS.buttons)
    sign_in_ways.WAY_OF.provide(way_of_caller)
    environment.fixed_values()  # a wrong variable stops the start
    connection_created.connect(sqlite_functions.add_functions, dispatch_uid="functions of SQLite's triggers")
    # A signal, because deleting a user also deletes the row, by cascade.
    post_delete.connect(_forget_secret, sender=TotpDevice, dispatch_uid="forget the secret of a deleted device")
    # Deleting a user or a message deletes deliveries, by cascade.
    post_delete.connect(_forget_link, sender=MessageDelivery, dispatch_uid="forget the link of a deleted delivery")
    # Deleting an asset or a system user deletes the versions of their accounts, by cascade.
    post_delete.connect(_drop_secrets, sender=AccountVersion, dispatch_uid="drop the secrets of a deleted version")
    admin_users.DIRECTORY.provide(AdminUsers())
    gateways.DIRECTORY.provide(Gateways())
    command_filters.FILTERS.provide(FiltersOfSystemUsers())
    reviewing.REVIEWING.provide(reviewing.NobodyReviews())
    system_user_uses.OTHERS.provide(
        (by_permissions, application_permission_uses.of_system_user, application_account_uses.of_system_user, by_tasks)
    )
    application_uses.OTHERS.provide(
        (application_permission_uses.of_application, application_account_uses.of_application)
    )
    domain_uses.OTHERS.provide((of_domain,))
    storage_uses.USES.provide(
        storage_uses.StorageUses(
            counts=(storage_names.by_terminals, recording_uses.by_recordings, recording_uses.by_copies),
            rename=storage_names.follow,
            holds=recording_uses.holds,
            sample=recording_uses.sample,
        )
    )
    phrases.OTHERS.provide(texts.words_by_code())


def _forget_secret(instance: TotpDevice, **_: object) -> None:
    totp_secrets.store().drop(instance.pk)


def _forget_link(instance: MessageDelivery, **_: object) -> None:
    if instance.state == DeliveryState.WAITING:  # the others have none
        link_tokens.drop(instance.pk)


def _drop_secrets(instance: AccountVersion, **_: object) -> None:
    secret_store.drop_rows(VERSIONS, [instance.pk])


def _compose_organizations() -> None:
    tenancy.HOLDINGS.provide(
        (
            *users.HOLDINGS,
            *assets.HOLDINGS,
            *vault.HOLDINGS,
            *applications.HOLDINGS,
            *perms.HOLDINGS,
            *sessions.HOLDINGS,
            *jobs.HOLDINGS,
            *tenancy.plain_holdings(),
        )
    )
    tenancy.LIFECYCLES.provide((assets.LIFECYCLE, vault.LIFECYCLE))
    organization_people.PEOPLE.provide(in_organizations.PEOPLE)


def _compose_requests() -> None:
    """Settings that depend on the path, before the view is known."""
    middleware.BODY_LIMITS.provide(
        middleware.BodyLimits(
            beginnings=body_limits.BY_BEGINNING,
            endings={
                importing.PATH_END: importing.max_bytes() + importing.GRACE_BYTES,
                **dict.fromkeys(plan_views.PATH_ENDS, plan_views.BODY_BYTES),
            },
        )
    )
    request_kinds.PASSWORD_PATHS.provide(password_paths.PATHS)
