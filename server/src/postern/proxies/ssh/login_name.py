"""The user name of an SSH sign-in: who, and perhaps where to."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LoginName:
    """`asset` "" means the menu; `system_user` "" means the default one."""

    username: str
    system_user: str = ""
    asset: str = ""


def split_login_name(text: str) -> LoginName:
    """`USER@SYSTEMUSER@ASSET`, `USER@ASSET` or `USER`, read from the right because user names may contain `@`.

    Only the control plane can tell `mail@name` as a plain user name from `USER@ASSET`; it is asked first, and this is
    the rule when it does not say.
    """
    parts = text.rsplit("@", 2)
    if len(parts) == 3 and all(parts):
        return LoginName(username=parts[0], system_user=parts[1], asset=parts[2])
    if len(parts) == 2 and all(parts):
        return LoginName(username=parts[0], asset=parts[1])
    return LoginName(username=text)


def possible_login_names(text: str) -> tuple[LoginName, ...]:
    """Every reading of `text`, the longest user name first."""
    readings = [LoginName(username=text)]
    head, _, asset = text.rpartition("@")
    if head and asset:
        readings.append(LoginName(username=head, asset=asset))
        user, _, system_user = head.rpartition("@")
        if user and system_user:
            readings.append(LoginName(username=user, system_user=system_user, asset=asset))
    return tuple(readings)
