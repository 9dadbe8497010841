"""Every text and every instant in a request uses the fields of the kit.

Those refuse disguising characters and instants at the edge of the calendar.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from rest_framework import serializers

from postern.entrypoints import urls
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import refuse_disguises, refuse_disguises_in_lines

PLAIN = (refuse_disguises, refuse_disguises_in_lines)

#: Secrets, and texts typed during a sign-in: they are compared, and never shown as a name.
SECRET_OR_TYPED = {
    "ACCESS_KEY", "SECRET_KEY", "ACCOUNT_KEY", "chrome_password", "custom_password", "mysql_workbench_password", "vmware_password",
    "client_secret", "code", "new_password", "new_password_again", "next", "old_password", "password", "private_key", "public_key", "token",
}  # fmt: skip
#: Any sign-in name is accepted, because a wrong name is an attempt that must count.
SIGN_IN = {"SignInSerializer.username", "BrowserSignInSerializer.username", "ForgotPasswordSerializer.username"}
#: Parsed by a grammar of letters and digits: `ssh/22`, a digest. Files of access are parsed too: each text in them is
#: refused with its line and column (`test_reading`).
PARSED = {
    "AssetSerializer.protocols", "NewHostSerializer.asset.protocols", "ApplySerializer.plan", "ApplySerializer.file",
    "PlanSerializer.file",
}  # fmt: skip


def _classes(kind: type[Any]) -> Iterator[type[Any]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _classes(subclass)


def _writable(fields: dict[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for name, field in fields.items():
        if field.read_only:
            continue
        yield f"{path}.{name}", field
        child = getattr(field, "child", None)
        if child is not None:
            yield f"{path}.{name}", child
        if getattr(field, "fields", None) and not isinstance(field.fields, list):
            yield from _writable(field.fields, f"{path}.{name}")


def _all() -> Iterator[tuple[str, Any]]:
    assert urls.urlpatterns  # importing the URLs has loaded every view and its serializers
    for kind in set(_classes(serializers.Serializer)):
        if not kind.__module__.startswith("postern.apps."):
            continue
        if issubclass(kind, ResourceSerializer) and not hasattr(getattr(kind, "Meta", None), "model"):
            continue
        try:
            fields = kind(context={"request": None}).fields
        except (AttributeError, KeyError, TypeError):  # the serializer can be created only in its own view
            fields = dict(kind._declared_fields)
        yield from _writable(dict(fields), kind.__name__)


@pytest.fixture(scope="module")
def fields() -> list[tuple[str, Any]]:
    assert apps.ready
    return list(_all())


def test_every_writable_text_refuses_disguising_characters(fields: list[tuple[str, Any]]) -> None:
    texts = [(path, field) for path, field in fields if isinstance(field, serializers.CharField)]
    assert len(texts) > 60
    open_to_disguise = [
        path
        for path, field in texts
        if not any(validator in PLAIN for validator in field.validators)
        and path.rpartition(".")[2] not in SECRET_OR_TYPED
        and path not in SIGN_IN | PARSED
        and not isinstance(field, serializers.URLField | serializers.IPAddressField)
    ]
    assert sorted(set(open_to_disguise)) == []


def test_every_writable_instant_uses_the_field_of_the_kit(fields: list[tuple[str, Any]]) -> None:
    instants = [(path, field) for path, field in fields if isinstance(field, serializers.DateTimeField)]
    assert len(instants) >= 4
    assert [path for path, field in instants if not isinstance(field, InstantField)] == []
