"""Checks of addresses that administrators enter."""

import ipaddress
import re
from typing import Final

from django.utils.translation import gettext as _
from rest_framework import serializers

_HOST_NAME: Final = re.compile(r"(?=.{1,128}\Z)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_-]{1,63})*\.?\Z")


def check_address(value: str) -> str:
    """Accept an IP address or a resolvable host name; refuse blanks, slashes and ports (K36: only addresses of
    permitted targets are dialled).
    """
    text = value.strip()
    try:
        ipaddress.ip_address(text)
    except ValueError:
        if not _HOST_NAME.match(text) or text.replace(".", "").isdigit():
            raise serializers.ValidationError(_("Enter an IP address or a host name.")) from None
    return text
