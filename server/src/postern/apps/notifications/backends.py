"""The delivery methods of messages."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.notifications.declarations.declaration import Text

SITE_MESSAGE_BACKEND: Final = "site_msg"
EMAIL_BACKEND: Final = "email"

#: Delivery methods by name. Which of them are enabled now: `queries.enabled_backends`.
BACKENDS: Final[Mapping[str, Text]] = {
    SITE_MESSAGE_BACKEND: _("Site message"),
    EMAIL_BACKEND: _("Email"),
    "wecom": _("WeCom"),
    "dingtalk": _("DingTalk"),
    "feishu": _("FeiShu"),
}
