"""`meta` of a replay storage: an object whose fields follow from its type."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.fields import empty

from postern.apps.sessions.storages.kinds import MAX_META, META, MetaField
from postern.apps.sessions.storages.models import Storage
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.secret_field import SecretField
from postern.foundation.rest.text import PlainField
from postern.kernel.dialing import plain

Field = serializers.Field[Any, Any, Any, Any]

#: Names of buckets of all services that are offered. Old Ceph clusters have upper case and underscores.
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
#: The rules of Azure for names of containers and of accounts.
_CONTAINER: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_ACCOUNT: Final = re.compile(r"[a-z0-9]{3,24}")
_REGION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
#: The names of hosts that the client accepts.
_HOST: Final = re.compile(r"(?:(?!-)[A-Za-z\d-]{1,63}(?<!-)\.)*(?!-)[A-Za-z\d-]{1,63}(?<!-)")
_MAX_HOST: Final = 255
_PORTS: Final = {"https": 443, "http": 80}


class BucketField(PlainField):
    """The name of a bucket."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if not _BUCKET.fullmatch(text):
            raise serializers.ValidationError(
                _("Enter the name of a bucket: letters, digits, dots and hyphens, without a path.")
            )
        return text


class EndpointField(PlainField):
    """An https address without a path; http only on this machine."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data).rstrip("/")
        try:
            parts = urlsplit(text if "://" in text else f"https://{text}")
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port, parts = "", None, urlsplit("")
        if (
            not (_HOST.fullmatch(host) or ":" in host)
            or len(host) > _MAX_HOST
            or not text.isascii()
            or " " in text
            or parts.scheme not in _PORTS
            or any((parts.path, parts.query, parts.fragment, parts.username, parts.password))
        ):
            raise serializers.ValidationError(
                _("Enter an address without the bucket, such as https://s3.eu-central-1.amazonaws.com.")
            )
        written = plain(host)
        is_here = host == "localhost" or (written is not None and written.is_loopback)
        if parts.scheme == "http" and not is_here:
            raise serializers.ValidationError(_("Enter an address that begins with https://."))
        shown_host = f"[{host}]" if ":" in host else host
        return f"{parts.scheme}://{shown_host}" + (f":{port}" if port and port != _PORTS[parts.scheme] else "")


class KeyField(SecretField):
    """An access key. A space or a line end comes from copying and would break the request."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if not text.isascii() or any(character.isspace() or not character.isprintable() for character in text):
            raise serializers.ValidationError(
                _("A key has no spaces, line ends or other characters that are not ASCII.")
            )
        return text


class ContainerField(PlainField):
    """The name of a container of Azure."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if not _CONTAINER.fullmatch(text) or "--" in text:
            raise serializers.ValidationError(
                _("Enter the name of a container: 3 to 63 small letters, digits and single hyphens.")
            )
        return text


class AccountField(PlainField):
    """The name of a storage account of Azure. It becomes part of a host's name."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if not _ACCOUNT.fullmatch(text):
            raise serializers.ValidationError(
                _("Enter the name of a storage account: 3 to 24 small letters and digits.")
            )
        return text


class RegionField(PlainField):
    """The name of a region."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if not _REGION.fullmatch(text):
            raise serializers.ValidationError(_("Enter the name of a region: letters, digits and hyphens."))
        return text


_PLAIN: Final[dict[str, type[PlainField]]] = {
    "BUCKET": BucketField,
    "ENDPOINT": EndpointField,
    "REGION": RegionField,
    "CONTAINER_NAME": ContainerField,
    "ACCOUNT_NAME": AccountField,
}


def _field(field: MetaField) -> Field:
    options: dict[str, Any] = {"label": field.label}
    if field.help_text is not None:
        options["help_text"] = field.help_text
    if field.choices:
        return serializers.ChoiceField(choices=[(choice, choice) for choice in field.choices], **options)
    options["max_length"] = MAX_META
    return KeyField(**options) if field.is_secret else _PLAIN[field.name](**options)


def _fields(fields: Iterable[MetaField], *, optional: bool = False) -> dict[str, Field]:
    made = {field.name: _field(field) for field in fields}
    if optional:
        for one in made.values():
            one.required = False
    return made


class _Writer(BodySerializer):
    """Checks `meta` of one type. A new storage needs its keys, too."""

    refuses_unknown = True

    def __init__(self, kind: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._kind = kind

    def get_fields(self) -> dict[str, Field]:
        return _fields(META[self._kind])

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not self.partial:
            missing = [field.name for field in META[self._kind] if field.is_secret and not attrs.get(field.name)]
            if missing:
                raise serializers.ValidationError({name: [_("This field is required.")] for name in missing})
        return attrs


class MetaObject(BodySerializer):
    """The values of the type of the storage. Secrets go in and never come out."""

    #: Which of the fields an answer has depends on the type.
    answers_vary = True

    def __init__(self, **kwargs: Any) -> None:
        kwargs |= {"source": "*", "required": False}
        kwargs.setdefault("label", gettext_lazy("Connection"))
        super().__init__(**kwargs)

    def get_fields(self) -> dict[str, Field]:
        """The fields that OPTIONS describes; without a request, for the API description, those of all types."""
        if self.context.get("request") is None:
            every = {field.name: field for fields in META.values() for field in fields}
            return _fields(every.values(), optional=True)
        return _fields(META.get(self._asked, ()))

    @property
    def _asked(self) -> str:
        """The type that the request is about: that of the stored row, else the query parameter."""
        kind_of_row: Callable[[], str] | None = self.context.get("kind_of_row")
        kind = kind_of_row() if kind_of_row is not None else ""
        return kind or str(self.context["request"].query_params.get("type", ""))

    def run_validation(self, data: Any = empty) -> Any:
        item: Any = self.parent
        kind = item.kind_of_item
        if kind not in META:  # the error of the type says so
            return {}
        if data is empty or data is None:
            if item.instance is not None:
                return {}
            data = {}
        writer = _Writer(kind, partial=item.instance is not None, context=self.context)
        return {"meta": dict(writer.run_validation(data))}

    def to_representation(self, instance: Storage) -> dict[str, Any]:
        return {field.name: instance.meta.get(field.name) for field in META[instance.type] if not field.is_secret}
