"""Labels of fields on screen, in exports and in errors, where the field names make poor labels.

A label that a serializer or column defines itself stays. A label that only repeats the field's name (`Is active`,
`Users amount`) is replaced by the word below. A relation to many objects gets a plural label, and `status_display` gets
the label of `status`.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.db import models
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
    "application": _("Application"),
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
    """The label of a field with this name, for serializers without a model. Raises KeyError."""
    return _WORDS[name]


def improve(fields: Mapping[str, "serializers.Field[Any, Any, Any, Any]"]) -> None:
    """Replace the poor labels of a serializer's fields, which must not be bound yet."""
    for name, field in fields.items():
        if name in _WORDS and _says_little(name, field):
            field.label = _WORDS[name]
    for name, field in fields.items():
        column = name.removesuffix(_DISPLAY)
        if column == name:
            continue
        if column in fields:
            field.label = fields[column].label or capfirst(column.replace("_", " "))
        elif column in _WORDS and _says_little(name, field):
            field.label = _WORDS[column]


def _says_little(name: str, field: "serializers.Field[Any, Any, Any, Any]") -> bool:
    """Whether the label is missing, repeats the field's name, is the singular of the better word, or differs only in
    case.
    """
    if field.label is None:
        return True
    with translation.override("en"):
        label, word = str(field.label).casefold(), str(_WORDS.get(name, "")).casefold()
    return label in {name.replace("_", " "), word, word.removesuffix("s")}


def kind_of(model: type[models.Model]) -> str:
    """What the model's rows are called inside a sentence: `Node` becomes `node`, `LDAP user` stays."""
    name = str(model._meta.verbose_name)  # noqa: SLF001 - the documented model API
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]
