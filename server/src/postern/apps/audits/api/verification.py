"""`audits/verification/`: request a verification of the log and read its result."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.audits import facade, verifications
from postern.apps.audits.api.serializers import VerificationSerializer
from postern.apps.audits.fault_words import words_of_fault
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class VerificationView(PosternView):
    """A verification always covers the whole log.

    Each caller sees the numbers of the organizations that they may audit.
    """

    rights = Right.ORG_AUDITOR
    answers = {
        "get": Answer(serializer=VerificationSerializer),
        "post": Answer(202, serializer=VerificationSerializer),
    }

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return VerificationSerializer(*args, **kwargs)

    def get(self, request: Request) -> Response:
        """Whether a verification is running, and the result of the last verification."""
        return Response(self._standing())

    def post(self, request: Request) -> Response:
        """Request a verification, or join the running verification."""
        verifications.request(actor=self.actor, scope=self.scope)
        return Response(self._standing(), status=202)

    def _standing(self) -> dict[str, Any]:
        is_all = self.scope.is_root and self.actor.is_super_auditor
        organizations = None if is_all else facade.audit_organizations(self.actor, self.scope)
        standing = verifications.standing(organizations)
        result = standing.result
        fields = {
            "is_waiting": standing.is_waiting,
            "is_running": standing.is_running,
            "is_interrupted": standing.is_interrupted,
            "date_finished": standing.date_finished,
            "records": result.records if result else None,
            "faults": result.faults if result else None,
            "first_faults": [
                {"kind": kind, "kind_display": words_of_fault(kind), "place": place}
                for kind, place in (result.first if result else ())
            ],
        }
        answer: dict[str, Any] = VerificationSerializer(fields).data
        return answer
