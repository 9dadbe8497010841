"""Refusals of codes for SSH."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class CodesOff(PosternError):
    """An administrator has switched the codes off."""

    code = "ssh_codes_off"
    status = 403

    def __init__(self) -> None:
        super().__init__(_("Codes for SSH are switched off. Ask an administrator."))
