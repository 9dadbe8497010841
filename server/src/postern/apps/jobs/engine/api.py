"""`ops/celery/task/{id}/`: the state of a job, and cancelling it. The path is that of the API contract."""

from typing import Any
from uuid import UUID

from django.http import Http404
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.jobs.engine import actions, policy, queries
from postern.apps.jobs.engine.models import Job, JobState
from postern.foundation.caller.scope import writable
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.ids import ROOT_ORG_ID


class JobResultSerializer(serializers.Serializer[Any]):
    """A job. `result` says how it ended, in the language of the request."""

    id = serializers.UUIDField(read_only=True)
    title = serializers.CharField(read_only=True)
    subject = serializers.CharField(read_only=True)
    state = serializers.ChoiceField(JobState.choices, read_only=True)
    state_display = serializers.CharField(read_only=True)
    result = serializers.CharField(source="sentence", read_only=True)
    created_by = serializers.CharField(read_only=True)
    date_created = InstantField(read_only=True)
    date_start = InstantField(allow_null=True, read_only=True)
    date_finished = InstantField(allow_null=True, read_only=True)
    total = serializers.IntegerField(read_only=True)
    done = serializers.IntegerField(read_only=True)
    failed = serializers.IntegerField(read_only=True)
    is_open = serializers.BooleanField(read_only=True)
    is_cancelling = serializers.BooleanField(read_only=True)


class JobAccess(PosternView):
    """The base of views about one job: the person who started it, and who may start jobs of its kind."""

    def job(self, job_id: UUID) -> Job:
        """The job. 404 unless the person may read it."""
        job = queries.readable(self.actor, self.scope, job_id)
        if job is None:
            raise Http404
        return job


class JobResultView(JobAccess):
    """The state of a job and how it ended."""

    rights = Right.VALID_USER
    answers = {"get": Answer(serializer=JobResultSerializer)}

    def get(self, request: Request, job_id: UUID) -> Response:
        return Response(JobResultSerializer(queries.view_of(self.job(job_id))).data)


class JobCancelView(JobAccess):
    """`POST`: cancel a job. 202: a running job ends within seconds."""

    rights = Right.VALID_USER
    answers = {"post": Answer(202, serializer=JobResultSerializer)}

    def post(self, request: Request, job_id: UUID) -> Response:
        job = self.job(job_id)
        if not policy.may_cancel(self.actor, self.scope, job):
            raise PermissionDenied
        if job.org_id != ROOT_ORG_ID and job.created_by_id != self.actor.user_id:
            writable(self.scope)
        actions.cancel(actor=self.actor, job_id=job.pk)
        return Response(JobResultSerializer(queries.view_of(self.job(job_id))).data, status=202)
