"""`settings/syslog/testing/` and `settings/syslog/state/`."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.forwarding.syslog import testing
from postern.apps.forwarding.syslog.receiver import NAMES
from postern.apps.forwarding.syslog.state import present_state
from postern.apps.preferences import facade as preferences
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.integrations.syslog.client import SyslogFailed


class SyslogTestView(PosternView):
    """Send a test message with the values of the form, which need not be saved. Answers `{"msg"}`, or 400 `{"error"}`."""

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema=texts("msg"))}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        form = preferences.form_of("syslog_test", NAMES)
        return form(*args, **{"context": {"request": self.request}, **kwargs})

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        try:
            msg = testing.send_test(actor=self.actor, entered=serializer.validated_data)
        except SyslogFailed as error:
            return Response({"error": error.message}, status=400)
        return Response({"msg": msg})


class SyslogStateSerializer(serializers.Serializer[Any]):
    """How far behind the receiver is."""

    is_on = serializers.BooleanField(read_only=True, label=_("Send the audit log"))
    behind = serializers.IntegerField(read_only=True, label=_("Events that wait"))
    sent = serializers.IntegerField(read_only=True, label=_("Events that were sent"))
    date_sent = serializers.DateTimeField(read_only=True, allow_null=True, label=_("Last sent"))
    failing_since = serializers.DateTimeField(read_only=True, allow_null=True, label=_("Failing since"))
    reason = serializers.CharField(read_only=True, label=_("Reason"))


class SyslogStateView(PosternView):
    """GET: how far behind the receiver is, and why."""

    rights = Right.SUPER_USER
    always_root = True
    answers = {"get": Answer(serializer=SyslogStateSerializer)}

    def get(self, request: Request) -> Response:
        del request
        return Response(SyslogStateSerializer(present_state()).data)
