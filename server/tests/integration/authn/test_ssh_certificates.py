"""Certificates of SSH keys: a certificate of a trusted authority signs in the user it names."""

import base64
from datetime import timedelta
from pathlib import Path

import asyncssh
import pytest

from factories.second_factor import App
from factories.ssh_certificates import SshAuthority, signed_with_certificate
from factories.ssh_proof import PROXY_ID, make_key, signed_request
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import facade
from postern.apps.authn.models import SignInGuard
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import Source, User
from postern.contracts.access import SignInAnswer
from postern.contracts.enums import DenialCode, LoginFrom
from postern.kernel import clock

pytestmark = pytest.mark.django_db
KEY, LINE = make_key()
HOME = "203.0.113.77"


def put(name: str, value: object) -> None:
    PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})


@pytest.fixture
def authority(tmp_path: Path, ann: User) -> SshAuthority:
    del ann
    made = SshAuthority(tmp_path)
    put("TERMINAL_USER_CA_KEYS", made.line)
    return made


def show(blob: bytes, *, key: asyncssh.SSHKey = KEY, username: str = "ann", attempt: str = "1") -> SignInAnswer:
    signed, signature = signed_with_certificate(key, blob, username)
    return facade.sign_in_with_public_key(
        username=username,
        proof=facade.read_proof(signed, signature),
        attempt=attempt,
        remote_addr=HOME,
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )


def offered(blob: bytes, username: str = "ann") -> bool:
    line = f"{blob[4 : 4 + blob[3]].decode()} {base64.b64encode(blob).decode()}"
    return facade.public_key_acceptable(username=username, public_key=line)


def reason() -> str:
    return LoginLog.objects.latest("datetime").reason


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_certificate_signs_in_without_a_key_in_the_profile_and_is_audited(tmp_path: Path, ann: User, kind: str):
    authority = SshAuthority(tmp_path, kind=kind)
    key, _line = make_key({"ed25519": "ssh-ed25519", "ecdsa": "ecdsa-sha2-nistp256", "rsa": "ssh-rsa"}[kind])
    blob = authority.certify(key, "-z", "18446744073709551615")
    assert not offered(blob)
    assert show(blob, key=key).user is None  # refused until an administrator trusts the authority
    put("TERMINAL_USER_CA_KEYS", authority.line)
    assert offered(blob)
    assert offered(blob, "nobody"), "the answer does not depend on the name"
    answer = show(blob, key=key, attempt="2")
    assert answer.user is not None
    assert answer.user.id == ann.pk
    assert LoginLog.objects.latest("datetime").backend == "certificate"
    event = AuditEvent.objects.get(event="certificate.accepted")
    assert event.resource == "ann@laptop (18446744073709551615)"
    assert event.new["username"] == "ann"


@pytest.mark.parametrize(
    ("options", "more", "why"),
    [
        ((), {"validity": "-2h:-1h"}, "certificate_expired"),
        ((), {"validity": "+1h:+2h"}, "certificate_not_yet_valid"),
        ((), {"validity": "-1d:+90d"}, "certificate_too_long"),
        ((), {"validity": "always:forever"}, "certificate_too_long"),
        ((), {"principals": "bob,root"}, "certificate_other_name"),
        ((), {"principals": ""}, "certificate_other_name"),
        (("-h",), {}, "certificate_of_host"),
        (("-O", "force-command=/bin/true"), {}, "certificate_option"),
        (("-O", "critical:more@example.com=1"), {}, "certificate_option"),
        (("-O", "source-address=198.51.100.0/24"), {}, "certificate_address"),
        (("-O", "no-pty"), {}, "certificate_no_terminal"),
    ],
)
def test_invalid_certificate_is_refused(
    authority: SshAuthority, options: tuple[str, ...], more: dict[str, str], why: str
):
    refused = show(authority.certify(KEY, *options, **more))
    assert refused.user is None
    assert refused.denial is not None
    assert (reason(), refused.denial.code) == (why, DenialCode.METHOD_DISABLED)
    assert AuditEvent.objects.filter(event="certificate.refused", new__reason=why).count() == 1
    assert not SignInGuard.objects.exists(), "no guess"


def test_matching_source_address_and_unknown_extensions_are_accepted(authority: SshAuthority):
    options = ("-O", "source-address=198.51.100.9,203.0.113.0/24", "-O", "extension:login@example.com=ann")
    assert show(authority.certify(KEY, *options)).user is not None


def test_other_authorities_and_forged_certificates_sign_nobody_in(authority: SshAuthority, tmp_path: Path):
    good = authority.certify(KEY)
    stranger = SshAuthority(tmp_path, "stranger")
    assert show(stranger.certify(KEY), attempt="1").user is None
    assert reason() == "certificate_untrusted"
    renamed = good.replace(b"ann@laptop", b"bob@laptop")
    assert show(renamed, attempt="2").user is None
    assert reason() == "certificate_untrusted"
    other, _line = make_key()
    assert show(good, key=other, attempt="3").user is None  # a certificate without its key
    assert reason() == "password_failed"
    assert not AuditEvent.objects.filter(event="certificate.refused").exists(), "strangers write nothing there"


def test_certificate_cannot_sign_a_certificate(authority: SshAuthority):
    """K33: certificates are checked whole (CVE-2025-49825)."""
    good = authority.certify(KEY)
    head, _authority, tail = good.rpartition(_string(asyncssh.import_public_key(authority.line).public_data))
    with pytest.raises(facade.ProofProblem):
        show(head + _string(good) + tail)
    for cut in range(0, len(good), 7):
        with pytest.raises(facade.ProofProblem):
            show(good[:cut])
    with pytest.raises(facade.ProofProblem):
        show(good + b"\x00")


def _string(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


@pytest.mark.parametrize("line", ["serial: 7", "serial: 5-9", "id: ann@laptop", "key", "hash", "authority"])
def test_revoked_certificate_is_refused_and_its_ticket_is_void(authority: SshAuthority, line: str):
    blob = authority.certify(KEY, "-z", "7")
    answer = show(blob)
    assert answer.user is not None
    holder = facade.ticket_holder(answer.ticket, proxy_id=PROXY_ID, remote_addr=HOME)
    assert holder.fault is None
    assert holder.sign_in_id is not None
    by_key = {"key": LINE, "hash": f"hash: {KEY.get_fingerprint()}", "authority": f"key: {authority.line}"}
    put("TERMINAL_REVOKED_CERTIFICATES", f"# left the company\nserial: 100\n{by_key.get(line, line)}\n")
    assert show(blob, attempt="2").user is None
    assert reason() == "certificate_revoked"
    assert facade.ticket_holder_of(holder.sign_in_id).fault is facade.TicketFault.CERTIFICATE_WITHDRAWN
    assert facade.with_withdrawn_certificates([holder.sign_in_id]) == {holder.sign_in_id}


def test_ticket_ends_with_its_authority_and_opens_no_sessions_after_the_certificate_expired(
    authority: SshAuthority, monkeypatch: pytest.MonkeyPatch
):
    answer = show(authority.certify(KEY, validity="-1m:+5m"))
    holder = facade.ticket_holder(answer.ticket, proxy_id=PROXY_ID, remote_addr=HOME)
    assert holder.sign_in_id is not None
    start = clock.now()
    with monkeypatch.context() as later:
        later.setattr(clock, "now", lambda: start + timedelta(minutes=6))
        assert facade.ticket_holder_of(holder.sign_in_id).fault is facade.TicketFault.CERTIFICATE_EXPIRED
        assert facade.with_withdrawn_certificates([holder.sign_in_id]) == frozenset(), "running sessions go on"
    put("TERMINAL_USER_CA_KEYS", "")
    assert facade.ticket_holder_of(holder.sign_in_id).fault is facade.TicketFault.CERTIFICATE_WITHDRAWN


def test_rules_of_keys_apply_to_certificates(authority: SshAuthority, ann: User):
    blob = authority.certify(KEY)
    for change, why in (
        ({"source": Source.LDAP}, "certificate_source"),
        ({"source": Source.LOCAL, "is_active": False}, "user_inactive"),
        ({"is_active": True, "date_expired": clock.now() - timedelta(days=1)}, "user_expired"),
    ):
        User.objects.filter(pk=ann.pk).update(**change)
        assert show(blob, attempt=why).user is None
        assert reason() == why
    User.objects.filter(pk=ann.pk).update(date_expired=clock.now() + timedelta(days=1))
    put("TERMINAL_PUBLIC_KEY_AUTH", False)
    assert not offered(blob)
    assert show(blob, attempt="off").user is None


def test_repeated_signature_of_a_certificate_signs_nobody_in(authority: SshAuthority):
    signed, signature = signed_with_certificate(KEY, authority.certify(KEY), "ann")

    def sign_in(attempt: str) -> SignInAnswer:
        return facade.sign_in_with_public_key(
            username="ann", proof=facade.read_proof(signed, signature), attempt=attempt, remote_addr=HOME,
            login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID,
        )  # fmt: skip

    assert sign_in("1").user is not None
    assert sign_in("2").user is None


def test_second_factor_is_required_and_the_certificate_is_stored(authority: SshAuthority, ann: User):
    app = App(ann)
    begun = show(authority.certify(KEY, "-z", "9"))
    assert begun.user is None
    assert begun.second_factor is not None
    done = facade.sign_in_with_code(
        token=begun.second_factor.token, code=app.code(), remote_addr=HOME, proxy_id=PROXY_ID
    )
    assert done.user is not None
    assert AuditEvent.objects.get(event="certificate.accepted").new["serial"] == "9"
    put("TERMINAL_USER_CA_KEYS", "")
    holder = facade.ticket_holder(done.ticket, proxy_id=PROXY_ID, remote_addr=HOME)
    assert holder.fault is facade.TicketFault.CERTIFICATE_WITHDRAWN


@pytest.mark.parametrize("name", ["TERMINAL_USER_CA_KEYS", "TERMINAL_REVOKED_CERTIFICATES"])
def test_invalid_certificate_settings_admit_nobody(authority: SshAuthority, name: str):
    put(name, "what is this")
    assert show(authority.certify(KEY)).user is None


def test_keys_of_profiles_sign_in_as_before(authority: SshAuthority, ann: User):
    del authority
    User.objects.filter(pk=ann.pk).update(public_key=LINE)
    signed, signature = signed_request(KEY, "ann")
    answer = facade.sign_in_with_public_key(
        username="ann", proof=facade.read_proof(signed, signature), attempt="1", remote_addr=HOME,
        login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID,
    )  # fmt: skip
    assert answer.user is not None
