# ruff: noqa: E402 - the settings are changed before Django loads
"""The baseline of `bench/api.py` and `bench/load.py`: the same rows behind an ordinary `ModelViewSet`, as in DRF's
manual.

`plain_drf.py PORT [PROCESSES]` with POSTERN_HOME set serves `/assets/` with uvicorn, with the same fields, filters,
search, order and pages. It has no session authentication, no audit log and no rights, which is in its favour.
"""

import os
import sys

os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"

from postern.foundation import django_settings

django_settings.ROOT_URLCONF = "plain_drf"
django_settings.MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
]

import django

django.setup()

from django.urls import include, path
from rest_framework import serializers, viewsets
from rest_framework.filters import OrderingFilter, SearchFilter
from rest_framework.metadata import SimpleMetadata
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.permissions import AllowAny
from rest_framework.routers import DefaultRouter

from postern.apps.assets.assets.api.serializers import AssetSerializer
from postern.apps.assets.models import Asset
from postern.kernel.ids import DEFAULT_ORG_ID


class PlainAssetSerializer(serializers.ModelSerializer):  # type: ignore[type-arg]  # a script, not the product
    platform = serializers.SlugRelatedField(slug_field="name", read_only=True)
    protocols = serializers.SerializerMethodField()
    nodes = serializers.PrimaryKeyRelatedField(many=True, read_only=True)
    nodes_display = serializers.SerializerMethodField()
    labels = serializers.PrimaryKeyRelatedField(many=True, read_only=True)
    labels_display = serializers.SerializerMethodField()
    charset = serializers.CharField(source="platform.charset", read_only=True)

    class Meta:
        model = Asset
        fields = tuple(
            name
            for name in AssetSerializer.Meta.fields
            if name
            not in {
                "protocol",
                "port",
                "admin_user",
                "admin_user_display",
                "org_id",
                "org_name",
            }
        )

    def get_protocols(self, asset: Asset) -> list[str]:
        return [str(row) for row in asset.protocol_rows.all()]

    def get_nodes_display(self, asset: Asset) -> list[str]:
        return [node.full_value for node in asset.nodes.all()]

    def get_labels_display(self, asset: Asset) -> list[str]:
        return sorted(str(label) for label in asset.labels.all())


class PlainAssets(viewsets.ModelViewSet):  # type: ignore[type-arg]  # a script, not the product
    queryset = (
        Asset.objects.filter(org_id=DEFAULT_ORG_ID)
        .select_related("platform")
        .prefetch_related("protocol_rows", "nodes", "labels")
    )
    serializer_class = PlainAssetSerializer
    authentication_classes = ()
    permission_classes = (AllowAny,)
    filter_backends = (SearchFilter, OrderingFilter)
    pagination_class = LimitOffsetPagination
    metadata_class = SimpleMetadata
    search_fields = ("hostname", "ip")
    ordering_fields = ("hostname", "ip")


router = DefaultRouter()
router.register("assets", PlainAssets)
urlpatterns = [path("", include(router.urls))]


if __name__ == "__main__":
    from pathlib import Path

    import uvicorn

    sys.modules["plain_drf"] = sys.modules["__main__"]
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    uvicorn.run(
        "django.core.asgi:get_asgi_application", factory=True, app_dir=str(Path(__file__).parent), workers=processes,
        host="127.0.0.1", port=int(sys.argv[1]), loop="uvloop", http="httptools", lifespan="off",
        access_log=False, log_level="warning",
    )  # fmt: skip
