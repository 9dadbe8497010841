"""`xpack/license/detail` and `xpack/license/import`. They work without a licence, because they install it."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.licence import actions, queries
from postern.apps.licence.api.serializers import LicenceFileSerializer, LicenceSerializer
from postern.apps.licence.document import MAX_BYTES
from postern.apps.licence.errors import LicenceRefused
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class LicenceDetailView(PosternView):
    """The installed licence, its dates, and why it is not valid, in words."""

    rights = Right.SUPER_USER
    always_root = True

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return LicenceSerializer(*args, **kwargs)

    def get(self, request: Request) -> Response:
        state = queries.state()
        licence, today = state.licence, state.day
        fields = {
            "corporation": licence.corporation if licence else "",
            "subscription_id": licence.subscription_id if licence else "",
            "edition": licence.edition if licence else "",
            "date_issued": licence.date_issued if licence else None,
            "date_expired": licence.date_expired if licence else None,
            "asset_count": licence.asset_count if licence else None,
            "is_valid": state.is_valid,
            "days_left": licence.days_left(today) if licence else None,
            "is_expired": bool(licence and licence.is_expired(today)),
            "is_expiring": bool(licence and licence.is_expiring(today)),
            "message": state.message,
        }
        return Response(LicenceSerializer(fields).data)


class LicenceImportView(PosternView):
    """POST of a multipart `file` → `{"status", "msg"}`. A refused file is answered with 200 and `status` false.

    The contract says so: the console shows `msg` in both cases.
    """

    rights = Right.SUPER_USER
    always_root = True

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return LicenceFileSerializer(*args, **kwargs)

    def post(self, request: Request) -> Response:
        # Read one byte more than the limit, so that the action can detect a file that is too large.
        data = body_of(request, LicenceFileSerializer)["file"].read(MAX_BYTES + 1)
        try:
            licence = actions.install(actor=self.actor, data=data)
        except LicenceRefused as refused:
            return Response({"status": False, "msg": refused.message})
        message = _("The licence of %(corporation)s is installed. It is valid until %(date)s.") % {
            "corporation": licence.corporation,
            "date": licence.date_expired.isoformat(),
        }
        return Response({"status": True, "msg": message})
