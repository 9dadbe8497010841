"""Routes of jobs, relative to /api/v1/."""

from django.urls import path

from postern.apps.jobs.engine.api import JobCancelView, JobResultView
from postern.apps.jobs.log_reading.api import JobLogFileView, JobLogView
from postern.apps.jobs.node_checks.api import NodeCheckView

urlpatterns = [
    path("ops/celery/task/<uuid:job_id>/result/", JobResultView.as_view()),
    path("ops/celery/task/<uuid:job_id>/cancel/", JobCancelView.as_view()),
    path("ops/celery/task/<uuid:job_id>/log/", JobLogView.as_view()),
    path("ops/celery/task/<uuid:job_id>/log/file/", JobLogFileView.as_view()),
    path("ops/ansible/task/<uuid:job_id>/log/", JobLogView.as_view()),
    path("assets/nodes/check_assets_amount_task/", NodeCheckView.as_view()),
]
