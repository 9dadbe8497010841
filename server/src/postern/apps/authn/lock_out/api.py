"""Addresses locked by failed sign-ins: list and unlock them."""

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.lock_out import guard, locks
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.rights import Right
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import NotFound


class AddressSerializer(BodySerializer):
    address = PlainField(max_length=64)


class LockedAddressesView(PosternView):
    """`GET authentication/locked-addresses/` → `[{"address", "date_locked_until"}]`, sorted by the end of the lock,
    latest first.
    """

    rights = Right.SUPER_USER
    always_root = True

    def get(self, request: Request) -> Response:
        del request
        as_text = serializers.DateTimeField().to_representation
        rows = locks.locked_addresses()
        return Response(
            [
                {"address": row.address, "date_locked_until": as_text(row.date_locked_until)}
                for row in rows
                if row.date_locked_until is not None
            ]
        )


class UnlockAddressView(PosternView):
    """`POST authentication/locked-addresses/unlock/ {"address"}` → 200 `{"msg":

    "ok"}`; 404 when the address has no counted failures.
    """

    rights = Right.SUPER_USER
    always_root = True

    def post(self, request: Request) -> Response:
        if not guard.unlock_address(body_of(request, AddressSerializer)["address"], self.actor):
            raise NotFound(_("This address has no failed sign-ins, so there is nothing to unlock."))
        return Response({"msg": "ok"})
