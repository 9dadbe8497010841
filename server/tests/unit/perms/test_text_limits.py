"""Every text in requests for assets, vault and permissions has a maximum (K41: every text has a limit)."""

from typing import Any

import pytest
from django.core.validators import MaxLengthValidator
from rest_framework import serializers

from postern.apps.assets.assets.api.serializers import AssetSerializer
from postern.apps.assets.labels.api import LabelSerializer
from postern.apps.assets.nodes.api.serializers import ChildNodeSerializer, NodeSerializer
from postern.apps.assets.platforms.api import PlatformSerializer
from postern.apps.perms.permissions.api import serializers as perms
from postern.apps.vault.system_users.api import serializers as vault
from postern.foundation.caller.scope import DEFAULT

_ALL: list[type[serializers.Serializer[Any]]] = [
    AssetSerializer,
    ChildNodeSerializer,
    LabelSerializer,
    NodeSerializer,
    PlatformSerializer,
    perms.AssetPermissionSerializer,
    vault.AdminUserSerializer,
    vault.SystemUserSerializer,
]


@pytest.mark.parametrize("kind", _ALL, ids=lambda kind: kind.__name__)
def test_k41_every_accepted_text_has_a_maximum(kind: type[serializers.Serializer[Any]]) -> None:
    serializer = kind(context={"scope": DEFAULT})
    for name, field in serializer.fields.items():
        if field.read_only:
            continue
        texts = [field, *([field.child] if isinstance(field, serializers.ListField) else [])]
        for text in texts:
            if isinstance(text, serializers.CharField):
                limited = isinstance(text, serializers.RegexField) or any(
                    isinstance(validator, MaxLengthValidator) for validator in text.validators
                )
                assert limited, f"{kind.__name__}.{name}"
        if isinstance(field, serializers.ListField):
            assert field.max_length is not None, f"{kind.__name__}.{name}"
