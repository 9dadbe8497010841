"""Routes of the authn app: `urlpatterns` relative to /api/v1/, `page_urlpatterns` to the root."""

from django.urls import path, re_path

from postern.apps.authn.confirming.api.pages import confirm_start
from postern.apps.authn.confirming.api.views import ConfirmationView
from postern.apps.authn.credentials.api import AccessKeyViewSet, LoginSessionViewSet
from postern.apps.authn.external.api.pages import bind_page, bind_start, callback, sign_in_start
from postern.apps.authn.external.api.views import (
    ExternalBindView,
    ExternalSignInView,
    FeishuEventsView,
    OwnUnbindView,
    UnbindView,
)
from postern.apps.authn.external.models import Provider, Purpose
from postern.apps.authn.forgotten_passwords.api import ForgotPasswordView
from postern.apps.authn.lock_out.api import LockedAddressesView, UnlockAddressView
from postern.apps.authn.login_acls.api import LoginAclViewSet
from postern.apps.authn.openid.api.pages import back_channel_logout as openid_back_channel_logout
from postern.apps.authn.openid.api.pages import callback as openid_callback
from postern.apps.authn.openid.api.pages import logout as openid_logout
from postern.apps.authn.openid.api.pages import sign_in_start as openid_sign_in_start
from postern.apps.authn.openid.api.views import OpenidProviderViewSet, OpenidSignInView
from postern.apps.authn.profile.api.profile import (
    GenerateKeyView,
    OwnCredentialsView,
    OwnPasswordView,
    OwnPublicKeyByIdView,
    OwnPublicKeyView,
    OwnSecondFactorResetView,
    ProfileView,
)
from postern.apps.authn.saml.api.pages import acs as saml_acs
from postern.apps.authn.saml.api.pages import logout as saml_logout
from postern.apps.authn.saml.api.pages import own_metadata as saml_own_metadata
from postern.apps.authn.saml.api.pages import sign_in_start as saml_sign_in_start
from postern.apps.authn.saml.api.views import SamlProviderViewSet, SamlSignInView
from postern.apps.authn.service_keys.api import ServiceKeyViewSet
from postern.apps.authn.sign_in.api.mfa import (
    ChallengeView,
    DisableView,
    EnrolConfirmView,
    EnrolStartView,
    PasswordVerifyView,
    RecoveryCodesView,
    SecondFactorView,
    VerifyView,
)
from postern.apps.authn.sign_in.api.pages import OWN_DIALOGS, forgot_page, login_page, own_dialog
from postern.apps.authn.sign_in.api.passkeys import (
    OwnPasskeysView,
    OwnPasskeyView,
    PasskeyChallengeStartView,
    PasskeyChallengeView,
    PasskeyEnrolConfirmView,
    PasskeyEnrolStartView,
    PasskeySignInStartView,
    PasskeySignInView,
    PasskeysInUseView,
    PasskeyVerifyStartView,
    PasskeyVerifyView,
)
from postern.apps.authn.sign_in.api.sign_in import (
    SetPasswordView,
    SignInView,
    SignOutView,
    TokenView,
    logout_page,
)
from postern.apps.authn.sign_in.api.trusted_browsers import TrustedBrowserViewSet
from postern.apps.authn.ssh_codes.api import SshCodesView
from postern.apps.authn.sso_links.api import SsoLinkView, SsoSignInView
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("authentication/access-keys", AccessKeyViewSet, "access-key")
router.register("authentication/service-account-keys", ServiceKeyViewSet, "service-account-key")
router.register("authentication/login-sessions", LoginSessionViewSet, "login-session")
router.register("authentication/openid-providers", OpenidProviderViewSet, "openid-provider")
router.register("authentication/saml-providers", SamlProviderViewSet, "saml-provider")
router.register("authentication/trusted-browsers", TrustedBrowserViewSet, "trusted-browser")
router.register("acls/login-acls", LoginAclViewSet, "login-acl")

urlpatterns = [
    path("authentication/sign-in/", SignInView.as_view(), name="sign-in"),
    path("authentication/sign-out/", SignOutView.as_view(), name="sign-out"),
    path("authentication/set-password/", SetPasswordView.as_view(), name="set-password"),
    path("authentication/mfa/challenge/", ChallengeView.as_view(), name="mfa-challenge"),
    path("authentication/password/forgot/", ForgotPasswordView.as_view(), name="password-forgot"),
    path("authentication/password/verify/", PasswordVerifyView.as_view(), name="password-verify"),
    path("authentication/confirmation/", ConfirmationView.as_view(), name="confirmation"),
    path("authentication/locked-addresses/", LockedAddressesView.as_view(), name="locked-addresses"),
    path("authentication/locked-addresses/unlock/", UnlockAddressView.as_view(), name="locked-addresses-unlock"),
    path("authentication/otp/", SecondFactorView.as_view(), name="otp"),
    path("authentication/otp/verify/", VerifyView.as_view(), name="otp-verify"),
    path("authentication/otp/enrol/start/", EnrolStartView.as_view(), name="otp-enrol-start"),
    path("authentication/otp/enrol/confirm/", EnrolConfirmView.as_view(), name="otp-enrol-confirm"),
    path("authentication/otp/disable/", DisableView.as_view(), name="otp-disable"),
    path("authentication/otp/recovery-codes/", RecoveryCodesView.as_view(), name="otp-recovery-codes"),
    path("authentication/passkeys/", OwnPasskeysView.as_view(), name="passkeys"),
    path("authentication/passkeys/<uuid:passkey_id>/", OwnPasskeyView.as_view(), name="passkey"),
    path("authentication/passkeys/in-use/", PasskeysInUseView.as_view(), name="passkeys-in-use"),
    path("authentication/passkeys/enrol/start/", PasskeyEnrolStartView.as_view(), name="passkey-enrol-start"),
    path("authentication/passkeys/enrol/confirm/", PasskeyEnrolConfirmView.as_view(), name="passkey-enrol-confirm"),
    path("authentication/passkeys/verify/start/", PasskeyVerifyStartView.as_view(), name="passkey-verify-start"),
    path("authentication/passkeys/verify/", PasskeyVerifyView.as_view(), name="passkey-verify"),
    path(
        "authentication/passkeys/challenge/start/",
        PasskeyChallengeStartView.as_view(),
        name="passkey-challenge-start",
    ),
    path("authentication/passkeys/challenge/", PasskeyChallengeView.as_view(), name="passkey-challenge"),
    path("authentication/passkeys/sign-in/start/", PasskeySignInStartView.as_view(), name="passkey-sign-in-start"),
    path("authentication/passkeys/sign-in/", PasskeySignInView.as_view(), name="passkey-sign-in"),
    path("authentication/ssh-codes/", SshCodesView.as_view(), name="ssh-codes"),
    path("authentication/auth/", TokenView.as_view(), name="auth"),
    path("authentication/tokens/", TokenView.as_view(), name="tokens"),
    path("authentication/sso/login-url/", SsoLinkView.as_view(), name="sso-login-url"),
    path("authentication/sso/login/", SsoSignInView.as_view(), name="sso-login"),
    path("authentication/external/sign-in/", ExternalSignInView.as_view(), name="external-sign-in"),
    path("authentication/openid/sign-in/", OpenidSignInView.as_view(), name="openid-sign-in"),
    path("authentication/saml/sign-in/", SamlSignInView.as_view(), name="saml-sign-in"),
    path("authentication/external/bind/", ExternalBindView.as_view(), name="external-bind"),
    path("authentication/feishu/event/subscription/callback/", FeishuEventsView.as_view(), name="feishu-events"),
    *[
        path(
            f"authentication/{provider}/qr/unbind/",
            OwnUnbindView.as_view(),
            {"provider": provider},
            name=f"{provider}-unbind",
        )
        for provider in Provider
    ],
    *[
        path(
            f"authentication/{provider}/qr/unbind/<uuid:user_id>/",
            UnbindView.as_view(),
            {"provider": provider},
            name=f"{provider}-unbind-user",
        )
        for provider in Provider
    ],
    path("users/profile/", ProfileView.as_view(), name="profile"),
    path("users/profile/password/", OwnPasswordView.as_view(), name="profile-password"),
    path("users/profile/credentials/", OwnCredentialsView.as_view(), name="profile-credentials"),
    path("users/profile/public-key/", OwnPublicKeyView.as_view(), name="profile-public-key"),
    path("users/users/<uuid:pk>/pubkey/update/", OwnPublicKeyByIdView.as_view(), name="own-public-key"),
    path("users/otp/reset/", OwnSecondFactorResetView.as_view(), name="own-otp-reset"),
    path("users/profile/public-key/generate/", GenerateKeyView.as_view(), name="profile-public-key-generate"),
    *router.urls,
]

page_urlpatterns = [
    path("core/auth/login/", login_page, name="login-page"),
    re_path(r"^login/?$", login_page, name="short-login-page"),
    path("core/auth/password/forgot/", forgot_page, name="forgot-page"),
    path("core/auth/confirm/", confirm_start, name="confirm-page"),
    path("core/auth/logout/", logout_page, name="logout-page"),
    *[path(f"core/auth/profile/{name}/", own_dialog, {"name": name}) for name in OWN_DIALOGS],
    *[path(f"core/auth/{provider}/bind/start/", bind_page, {"provider": provider}) for provider in Provider],
    *[path(f"core/auth/{provider}/qr/bind/", bind_start, {"provider": provider}) for provider in Provider],
    *[path(f"core/auth/{provider}/qr/login/", sign_in_start, {"provider": provider}) for provider in Provider],
    *[
        path(f"core/auth/{provider}/qr/{step}/callback/", callback, {"provider": provider, "purpose": purpose})
        for provider in Provider
        for step, purpose in (("bind", Purpose.BIND), ("login", Purpose.SIGN_IN))
    ],
    path("core/auth/openid/login/", openid_sign_in_start),
    path("core/auth/openid/callback/", openid_callback),
    path("core/auth/openid/logout/", openid_logout),
    path("core/auth/openid/<slug:slug>/login/", openid_sign_in_start),
    path("core/auth/openid/<slug:slug>/callback/", openid_callback),
    path("core/auth/openid/<slug:slug>/logout/", openid_logout),
    path("core/auth/openid/<slug:slug>/back-channel-logout/", openid_back_channel_logout),
    path("core/auth/saml/<slug:slug>/login/", saml_sign_in_start),
    path("core/auth/saml/<slug:slug>/acs/", saml_acs),
    path("core/auth/saml/<slug:slug>/metadata/", saml_own_metadata),
    path("core/auth/saml/<slug:slug>/logout/", saml_logout),
    path("vue-admin-template/user/logout", SignOutView.as_view(), name="logout-alias"),
]
