"""Re-exports the tables of sign-in for Django's model discovery and for the other apps."""

from postern.apps.authn.credentials.models import AccessKey, BearerToken, LoginEnd, LoginSession
from postern.apps.authn.external.models import ExternalAccount, ExternalRequest
from postern.apps.authn.federation.models import FederatedIdentity
from postern.apps.authn.known_places.models import KnownPlace, PlaceKind, TrustedBrowser
from postern.apps.authn.lock_out.models import GuardKind, SignInGuard
from postern.apps.authn.login_acls.models import LoginAcl, LoginAclAction
from postern.apps.authn.openid.models import OpenidProvider
from postern.apps.authn.passkeys.models import Passkey, PasskeyPurpose, PasskeyRequest
from postern.apps.authn.proxies.models import AnsweredSignIn, ProxySignIn
from postern.apps.authn.puzzles.models import UsedPuzzle
from postern.apps.authn.saml.models import SamlAnswer, SamlProvider
from postern.apps.authn.second_factors.models import PendingSignIn, RecoveryCode, SignInWay, TotpDevice
from postern.apps.authn.signatures.models import PastSignatures, UsedSignature
from postern.apps.authn.ssh_codes.models import SshCode
from postern.apps.authn.sso_links.models import SsoLink

__all__ = [
    "AccessKey",
    "AnsweredSignIn",
    "BearerToken",
    "ExternalAccount",
    "ExternalRequest",
    "FederatedIdentity",
    "GuardKind",
    "KnownPlace",
    "LoginAcl",
    "LoginAclAction",
    "LoginEnd",
    "LoginSession",
    "OpenidProvider",
    "Passkey",
    "PasskeyPurpose",
    "PasskeyRequest",
    "PastSignatures",
    "PendingSignIn",
    "PlaceKind",
    "ProxySignIn",
    "RecoveryCode",
    "SamlAnswer",
    "SamlProvider",
    "SignInGuard",
    "SignInWay",
    "SshCode",
    "SsoLink",
    "TotpDevice",
    "TrustedBrowser",
    "UsedPuzzle",
    "UsedSignature",
]
