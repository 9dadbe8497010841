"""What each periodic task is for, and why some of them cannot be switched off.

A task that is not in `OPTIONAL` cannot be switched off, so a new task is safe until somebody has thought about it.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

#: Task → what it does.
PURPOSES: Final[Mapping[str, Promise]] = {
    "postern.foundation.deliver_outbox": _("Delivers messages between services whose delivery failed before."),
    "postern.foundation.stamp_worker": _("Shows the health page that schedule and worker are alive."),
    "postern.assets.prune_tree_changes": _(
        "Deletes entries of the node tree's change list that nobody needs any more."
    ),
    "postern.audits.write_checkpoint": _("Writes the heads of the audit chains to the checkpoint file."),
    "postern.audits.verify": _("Runs verifications of the audit log that somebody has requested."),
    "postern.apps.authn.tasks.forget_old_sign_ins": _("Deletes expired sign-ins, tokens and signatures."),
    "postern.apps.directory.tasks.read_directory": _("Reads the LDAP directory, and synchronises its users."),
    "postern.apps.licence.tasks.warn_of_end": _("Warns administrators that the licence ends soon."),
    "postern.apps.notifications.tasks.forget_old_messages": _("Deletes messages after their retention period."),
    "postern.apps.notifications.tasks.send_company_messages": _(
        "Sends messages by WeCom, DingTalk and FeiShu, and tries failed ones again."
    ),
    "postern.apps.notifications.tasks.warn_of_expiry": _("Warns users whose password or account ends soon."),
    "postern.apps.notifications.tasks.warn_of_permission_ends": _("Warns the makers of permissions that end soon."),
    "postern.apps.notifications.tasks.watch_performance": _(
        "Tells administrators about services of Postern that are overloaded or offline."
    ),
    "postern.apps.forwarding.tasks.send_webhooks": _("Sends messages to webhooks, and tries failed ones again."),
    "postern.apps.forwarding.tasks.send_syslog": _("Sends the audit log to the syslog receiver."),
    "postern.apps.forwarding.tasks.forget_old_webhook_deliveries": _(
        "Deletes messages to webhooks after their retention period."
    ),
    "postern.apps.notifications.tasks.send_mail": _("Sends messages by mail, and tries failed ones again."),
    "postern.apps.notifications.tasks.write_receivers": _("Gives messages to many users to their receivers."),
    "postern.apps.users.tasks.forget_old_links": _("Deletes links and invitations that expired long ago."),
    "postern.apps.sessions.tasks.check_leases": _("Ends the sessions of proxies that are gone."),
    "postern.apps.sessions.tasks.sweep_accounts": _("Ends sessions of accounts and sign-ins that were closed."),
    "postern.apps.sessions.tasks.sweep_permissions": _("Ends sessions whose permission has ended."),
    "postern.apps.sessions.tasks.anchor_running_sessions": _("Notes running sessions in the audit log."),
    "postern.apps.sessions.tasks.count_days": _("Counts the sessions of ended days for the dashboard."),
    "postern.apps.sessions.tasks.purge_tokens": _("Deletes expired connection tokens."),
    "postern.apps.sessions.tasks.purge_entered_credentials": _("Deletes expired credentials that users have entered."),
    "postern.apps.vault.tasks.accounts_of_nodes": _("Adds and removes accounts where nodes or bindings changed."),
    "postern.apps.vault.tasks.keep_secret_store_token": _("Renews the token for the secret store."),
    "postern.apps.vault.tasks.remove_unused_secrets": _("Removes secrets that nothing names from the secret store."),
    "postern.apps.sessions.tasks.forget_old_sessions": _(
        "Deletes sessions and recordings that the rules of retention no longer keep."
    ),
    "postern.apps.sessions.tasks.copy_recordings": _(
        "Copies recordings to their storages, and deletes the files that were copied."
    ),
    "postern.apps.sessions.tasks.index_recordings": _("Indexes what recordings show, for the search."),
    "postern.apps.sessions.tasks.close_idle_viewings": _(
        "Records in the audit log what viewers of recordings have fetched."
    ),
    "postern.jobs.forget_old": _("Deletes jobs and batch commands after their retention period."),
    "postern.jobs.run_due": _("Starts the tasks of the job center that are due."),
}

#: Tasks that may be switched off: something is retained longer, or does not happen by itself.
OPTIONAL: Final = frozenset(
    {
        "postern.apps.licence.tasks.warn_of_end",
        "postern.apps.notifications.tasks.forget_old_messages",
        "postern.apps.notifications.tasks.warn_of_expiry",
        "postern.apps.notifications.tasks.warn_of_permission_ends",
        "postern.apps.notifications.tasks.watch_performance",
        "postern.apps.forwarding.tasks.forget_old_webhook_deliveries",
        "postern.apps.users.tasks.forget_old_links",
        "postern.apps.sessions.tasks.forget_old_sessions",
        "postern.jobs.forget_old",
        "postern.jobs.run_due",
    }
)

_ACCESS: Final = _("Without it, sessions would go on after their permission or account has ended.")
_EVIDENCE: Final = _("Without it, the audit log would lose what proves its records.")
_RUNNING: Final = _("Postern does not work without it.")
_SECRETS: Final = _("Without it, expired credentials would stay in the database.")
#: Task → why it cannot be switched off. For all others that are not optional: `_RUNNING`.
_REQUIRED: Final[Mapping[str, Promise]] = {
    "postern.audits.write_checkpoint": _EVIDENCE,
    "postern.audits.verify": _EVIDENCE,
    "postern.apps.sessions.tasks.anchor_running_sessions": _EVIDENCE,
    "postern.apps.sessions.tasks.close_idle_viewings": _EVIDENCE,
    "postern.apps.sessions.tasks.check_leases": _ACCESS,
    "postern.apps.sessions.tasks.sweep_accounts": _ACCESS,
    "postern.apps.sessions.tasks.sweep_permissions": _ACCESS,
    "postern.apps.authn.tasks.forget_old_sign_ins": _SECRETS,
    "postern.apps.sessions.tasks.count_days": _("Counts the sessions of ended days for the dashboard."),
    "postern.apps.sessions.tasks.index_recordings": _(
        "The setting “Search inside recordings” of the terminal switches it off, and deletes the index."
    ),
    "postern.apps.sessions.tasks.purge_tokens": _SECRETS,
    "postern.apps.sessions.tasks.purge_entered_credentials": _SECRETS,
    "postern.apps.vault.tasks.remove_unused_secrets": _SECRETS,
}


def purpose(task: str) -> str:
    """What the task does; "" for a task of another release."""
    return str(PURPOSES.get(task, ""))


def why_required(task: str) -> str:
    """Why the task cannot be switched off; "" if it can."""
    return "" if task in OPTIONAL else str(_REQUIRED.get(task, _RUNNING))
