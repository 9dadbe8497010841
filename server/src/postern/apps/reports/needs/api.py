"""`index/needs/`: what needs a person now."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.reports.needs.findings import NeedKind, needs_of
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel import clock


class _RiskySessionSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField(read_only=True)
    user = serializers.CharField(read_only=True)
    asset = serializers.CharField(read_only=True)


class NeedSerializer(serializers.Serializer[object]):
    """A finding. `is_more`: there are more than `count`. `session`: the only risky session."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in NeedKind], read_only=True)
    count = serializers.IntegerField(read_only=True)
    is_more = serializers.BooleanField(read_only=True)
    session = _RiskySessionSerializer(read_only=True, allow_null=True)


class NeedsSerializer(serializers.Serializer[object]):
    """`date`: when it was found."""

    date = serializers.DateTimeField(read_only=True)
    results = NeedSerializer(read_only=True, many=True)


class NeedsView(PosternView):
    """What needs a person in the organization of the request; in the global one, in all."""

    rights = {"GET": (Right.ORG_ADMIN, Right.ORG_AUDITOR)}
    answers = {"get": Answer(serializer=NeedsSerializer)}

    def get(self, request: Request) -> Response:
        """The findings with a number above 0, the most urgent first."""
        del request
        now = clock.now()
        results = needs_of(self.actor, self.scope, now)
        return Response(NeedsSerializer({"date": now, "results": results}).data)
