"""What fields are called on screen, in exports and in errors, where their own names say it badly.

A label that a serializer or a column chooses stays. One that only repeats the name of the field (`Is active`, `Users amount`) gives way to
the word below, a relation to many objects is named in the plural, and what shows another field in words (`status_display`) has its label.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.utils import translation
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

_WORDS: Final[Mapping[str, Any]] = {
    "id": _("ID"),
    "is_accepted": _("Accepted"),
    "is_active": _("Active"),
    "is_alive": _("Online"),
    "is_current": _("Current"),
    "is_default": _("Default"),
    "is_expired": _("Expired"),
    "is_finished": _("Finished"),
    "is_root": _("Global"),
    "is_success": _("Succeeded"),
    "is_valid": _("Valid"),
    "is_dingtalk_bound": _("DingTalk bound"),
    "is_feishu_bound": _("Feishu bound"),
    "is_wecom_bound": _("WeCom bound"),
    "admin_users_amount": _("Number of admin users"),
    "app_perms_amount": _("Number of application permissions"),
    "applications_amount": _("Number of applications"),
    "asset_perms_amount": _("Number of asset permissions"),
    "assets_amount": _("Number of assets"),
    "command_amount": _("Number of commands"),
    "domains_amount": _("Number of domains"),
    "gateways_amount": _("Number of gateways"),
    "groups_amount": _("Number of user groups"),
    "nodes_amount": _("Number of nodes"),
    "system_users_amount": _("Number of system users"),
    "user_groups_amount": _("Number of user groups"),
    "users_amount": _("Number of users"),
    "actions": _("Actions"),
    "ad_domain": _("AD domain"),
    "args": _("Arguments"),
    "asset": _("Asset"),
    "assetpermission": _("Asset permission"),
    "assets": _("Assets"),
    "avatar_url": _("Avatar"),
    "change_by": _("Changed by"),
    "category": _("Category"),
    "changes": _("Changes"),
    "command_storage": _("Command storage"),
    "console": _("Console"),
    "cpu_vcpus": _("vCPUs"),
    "date_created": _("Date created"),
    "date_finished": _("Date finished"),
    "datetime": _("Date"),
    "detail": _("Details"),
    "domain": _("Domain"),
    "groups": _("User groups"),
    "hostname_raw": _("Reported hostname"),
    "http_port": _("HTTP port"),
    "kwargs": _("Named arguments"),
    "mfa": _("MFA"),
    "name": _("Name"),
    "new": _("After"),
    "node": _("Node"),
    "nodes": _("Nodes"),
    "ok": _("Done"),
    "old": _("Before"),
    "org": _("Organization"),
    "platform": _("Platform"),
    "protocols": _("Protocols"),
    "remote_addr": _("Remote address"),
    "replay_storage": _("Replay storage"),
    "resource_type": _("Resource type"),
    "security": _("Security"),
    "sequence": _("Number"),
    "session_online": _("Online sessions"),
    "sftp_root": _("SFTP root"),
    "ssh_port": _("SSH port"),
    "stat": _("Load"),
    "system_users": _("System users"),
    "systemuser": _("System user"),
    "terminal": _("Terminal"),
    "user": _("User"),
    "user_groups": _("User groups"),
    "usergroup": _("User group"),
    "users": _("Users"),
}
_DISPLAY: Final = "_display"


def label_of(name: str) -> Any:
    """The label of a field of this name, for serializers of no model. Raises KeyError."""
    return _WORDS[name]


def improve(fields: Mapping[str, "serializers.Field[Any, Any, Any, Any]"]) -> None:
    """Give the fields of a serializer, which are not bound yet, the labels that people understand."""
    for name, field in fields.items():
        if name in _WORDS and _says_little(name, field):
            field.label = _WORDS[name]
    for name, field in fields.items():
        shown = name.removesuffix(_DISPLAY)
        if shown == name:
            continue
        if shown in fields:
            field.label = fields[shown].label or capfirst(shown.replace("_", " "))
        elif shown in _WORDS and _says_little(name, field):
            field.label = _WORDS[shown]


def _says_little(name: str, field: "serializers.Field[Any, Any, Any, Any]") -> bool:
    """Whether the label is the name of the field again, names one where there are many, or differs in capitals only."""
    if field.label is None:
        return True
    with translation.override("en"):
        label, word = str(field.label).casefold(), str(_WORDS.get(name, "")).casefold()
    return label in {name.replace("_", " "), word, word.removesuffix("s")}
