"""What the front says about its ways of signing in. It depends on the settings alone, so every name gets the same."""

from typing import Final

from postern.contracts.enums import DenialCode
from postern.contracts.terminals import ProxySettings
from postern.proxies.core.spoken import Spoken

#: Denials whose reason may be shown before sign-in. Others would reveal which accounts exist.
_TOLD_BEFORE_SIGN_IN: Final = frozenset({DenialCode.LOCKED, DenialCode.METHOD_DISABLED, DenialCode.CONTROL_UNAVAILABLE})
#: Denials that occur only after the right password, so their reason may be shown.
_TOLD_AFTER_PROOF: Final = frozenset(
    {
        DenialCode.PASSWORD_MUST_CHANGE,
        DenialCode.USER_EXPIRED,
        DenialCode.USER_INACTIVE,
        DenialCode.MFA_FAILED,
        DenialCode.MFA_UNSET,
        DenialCode.NOTICE_UNCONFIRMED,
        DenialCode.NOT_ADMITTED,
    }
)
#: Denials whose reason a user may read after an attempt.
TOLD_ONCE_TRIED: Final = _TOLD_BEFORE_SIGN_IN | _TOLD_AFTER_PROOF


class SignInText(Spoken):
    """Sentences of people who are not signed in. `url`: the console."""

    CODE_EXPLAINED = (
        "SSH 不接受密码。在浏览器中登录控制台 {url}，在“个人信息”中获取 SSH 登录码。",
        "Passwords are not accepted over SSH. Sign in to the console {url} and get a code for SSH from your profile.",
    )
    CODE_OR_KEY_EXPLAINED = (
        "SSH 不接受密码。可使用 SSH 密钥，或在浏览器中登录控制台 {url}，在“个人信息”中获取 SSH 登录码。",
        (
            "Passwords are not accepted over SSH. Use an SSH key, or sign in to the console {url} and get a code for "
            "SSH from your profile."
        ),
    )
    SSH_PASSWORD_ONLY = (
        "管理员已关闭 SSH 密钥登录。输入密码登录。",
        "SSH keys are switched off. Enter your password.",
    )
    SSH_PASSWORD_OR_CODE_ONLY = (
        "管理员已关闭 SSH 密钥登录。输入密码，或输入 SSH 登录码：登录控制台 {url}，在“个人信息”中获取。",
        "SSH keys are switched off. Enter your password, or a code for SSH from your profile in the console {url}",
    )
    SSH_KEY_ONLY = (
        "管理员已关闭 SSH 密码登录。使用 SSH 密钥登录：登录控制台 {url}，在“个人信息”中添加公钥，或直接在浏览器中打开会话。",
        (
            "Passwords are switched off for SSH. Use an SSH key, which you can add to your profile in the console "
            "{url}, or open the session in the browser there."
        ),
    )
    SSH_CLOSED = (
        "管理员已关闭 SSH 登录。可登录控制台 {url}，在浏览器中打开会话。",
        "Signing in over SSH is switched off. Open the session in the browser, in the console {url}",
    )
    WRONG_PASSWORD_CODE = (
        "用户名或密码不正确。如果登录控制台时不使用密码，登录控制台 {url}，在“个人信息”中获取 SSH 登录码，代替密码输入。",
        (
            "The username or password is incorrect. If you sign in to the console without a password, get a code for "
            "SSH from your profile there, and enter it as the password: {url}"
        ),
    )


def notice(settings: ProxySettings, language: str) -> str:
    """Which ways are switched off, and what to do; "" where nothing is missing, or the question for a code says it."""
    match settings.password_auth, settings.public_key_auth, settings.code_auth:
        case True, False, True:
            text = SignInText.SSH_PASSWORD_OR_CODE_ONLY
        case True, False, False:
            text = SignInText.SSH_PASSWORD_ONLY
        case False, True, False:
            text = SignInText.SSH_KEY_ONLY
        case False, False, False:
            text = SignInText.SSH_CLOSED
        case _:
            return ""
    return text.say(language, url=settings.console_url)


def code_explained(settings: ProxySettings, language: str) -> str:
    """Why a code is asked for, and where it comes from."""
    text = SignInText.CODE_OR_KEY_EXPLAINED if settings.public_key_auth else SignInText.CODE_EXPLAINED
    return text.say(language, url=settings.console_url)


def after_wrong_password(settings: ProxySettings, language: str) -> str:
    """The way for people who have no password here; "" where there is none. Said after every wrong password alike."""
    if not settings.code_auth or not settings.password_auth:
        return ""
    return SignInText.WRONG_PASSWORD_CODE.say(language, url=settings.console_url)
