"""Creates or changes the accounts of system users on assets, as root, and signs in with them to prove that they work."""

import secrets
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from django.utils.translation import gettext_lazy

from postern.apps.jobs.account_tests.job import AccountsArgument, note_accounts
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.hosts.accounts import account_of, admin_account
from postern.apps.jobs.hosts.answers import answers
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.kinds import admin_users_of, kind_on_hosts
from postern.apps.jobs.hosts.on_assets import NO_ACCOUNT, AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.apps.jobs.hosts.ways_in import WayIn, way_to
from postern.apps.vault import facade as vault
from postern.contracts import runner
from postern.contracts.enums import Protocol
from postern.contracts.runner import HostLimits, Remote, Shell
from postern.foundation.phrases import Phrase
from postern.kernel.sentences import Sentence, joined

_SCRIPT: Final = files(__package__).joinpath("push.sh").read_text()
_WINDOWS_SCRIPT: Final = files(__package__).joinpath("push.ps1").read_text()
_LINE_END: Final = Phrase("push.line_end", gettext_lazy("A password with a line end cannot be pushed."))
_NO_END: Final = Phrase("push.no_end", gettext_lazy("The script did not come to its end."))
_NOT_PROVED: Final = Phrase(
    "push.not_proved", gettext_lazy("The account was pushed, but the sign-in with it failed: %(why)s")
)
#: What the script says of a step that failed, by its first word. The words behind are those of the host's own command.
_FAILED: Final = {
    step: Phrase(f"push.failed_{step}", words)
    for step, words in (
        (
            "account_of_system",
            gettext_lazy("The host has an account of this name already, which belongs to the system (id %(why)s)."),
        ),
        ("account", gettext_lazy("The account could not be created: %(why)s")),
        ("group", gettext_lazy("The account could not be added to the group %(why)s")),
        ("password", gettext_lazy("The password could not be set: %(why)s")),
        ("key", gettext_lazy("The public key could not be stored: %(why)s")),
        ("sudo", gettext_lazy("The sudo rule could not be stored: %(why)s")),
        ("domain_controller", gettext_lazy("The host is a domain controller, which has no accounts of its own.")),
        ("no_local_accounts", gettext_lazy("The host needs PowerShell 5.1 for accounts.")),
    )
}
_LIMITS: Final = HostLimits(run_s=60, output_bytes=64 * 1024)


class _Push(AssetWork):
    def __init__(self, job: JobRun, argument: AccountsArgument) -> None:
        self._admin_users = admin_users_of(job)
        self._username = argument.username
        self._nonce = secrets.token_hex(12)
        #: What was done, of accounts that are being proved.
        self._done: dict[int, Mapping[str, Any]] = {}

    def errand(self, place: Place) -> Errand:
        if place.system_user_id is None:
            raise HostNotTried(runner.HostResult.REFUSED, NO_ACCOUNT.say())
        way = way_to(place.asset)
        account = vault.account_to_push(place.system_user_id, place.asset.id, self._username, is_windows=way.is_windows)
        lines = _windows_lines(account, way) if way.is_windows else _unix_lines(account)
        if any("\n" in line or "\0" in line or (way.is_windows and "\r" in line) for line in lines):
            raise HostNotTried(runner.HostResult.REFUSED, _LINE_END.say())
        return Errand(
            port=way.port,
            over=way.over,
            account=admin_account(self._admin_users.get(place.asset.id), place.asset.id),
            script=_WINDOWS_SCRIPT if way.is_windows else _SCRIPT,
            run_by=way.shell(Shell.ROOT),
            stdin="".join(f"{line}\n" for line in (self._nonce, *lines)).encode(),
            limits=_LIMITS,
        )

    def judge(self, answer: HostAnswer) -> Verdict | Errand:
        row, verdict = answer.row, plain_verdict(answer.how)
        if row.pk in self._done:
            return _proved(verdict, self._done.pop(row.pk))
        if verdict.result not in {HostResult.DONE, HostResult.FAILED} or row.system_user_id is None:
            return verdict
        said: dict[str, list[str]] = {}
        for name, value in answers(answer.output, self._nonce):
            said.setdefault(name, []).append(value)
        failed = said.get("failed", [])
        if failed or "end" not in said:
            why = joined(" ", [_shown(failure) for failure in failed]) if failed else _NO_END.say()
            return Verdict(result=HostResult.FAILED, message=why, facts=said)
        self._done[row.pk] = said
        # Only a sign-in shows that the account works: the server may read keys elsewhere, or refuse the account.
        account = account_of(row.system_user_id, row.asset_id, self._username)
        return Errand(port=answer.errand.port, over=answer.errand.over, account=account)

    def store(self, verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
        note_accounts(verdicts)


def _unix_lines(account: vault.AccountToPush) -> tuple[str, ...]:
    """The input of `push.sh` behind the nonce."""
    return (
        account.username,
        account.home,
        account.login_shell,
        account.groups,
        account.mark,
        account.public_key,
        account.sudo,
        account.password.reveal(),
    )


def _windows_lines(account: vault.AccountToPush, way: WayIn) -> tuple[str, ...]:
    """The input of `push.ps1` behind the nonce. Keys are of use with OpenSSH only."""
    public_key = account.public_key if way.over is Remote.SSH else ""
    used_for = "rdp" if account.protocol is Protocol.RDP else "ssh"
    return (
        account.username,
        account.groups,
        account.mark,
        public_key,
        used_for,
        account.password.reveal(),
    )


def _proved(verdict: Verdict, said: Mapping[str, Any]) -> Verdict:
    if verdict.result is HostResult.DONE:
        return Verdict(result=HostResult.DONE, facts=said)
    message = _NOT_PROVED.say(why=verdict.message)
    return Verdict(result=verdict.result, message=message, facts=said)


def _shown(failed: str) -> Sentence:
    """A failure for people."""
    step, _space, why = failed.partition(" ")
    phrase = _FAILED.get(step)
    return phrase.say(why=why[:300]) if phrase is not None else Sentence(why[:300])


PUSH_ACCOUNTS: Final = kind_on_hosts(
    name="accounts.push",
    label=gettext_lazy("Push accounts"),
    argument=AccountsArgument,
    work=_Push,
    outcome="pushed",
    sentence=gettext_lazy("Accounts: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d."),
)
