"""Routes of jobs, relative to /api/v1/."""

from django.urls import path

from postern.apps.jobs.asset_tasks.api import AssetTasksView, ManyAssetsTasksView, NodeTasksView
from postern.apps.jobs.engine.api import JobCancelView, JobResultView
from postern.apps.jobs.gateway_tests.api import GatewayTestView
from postern.apps.jobs.log_reading.api import JobLogFileView, JobLogView
from postern.apps.jobs.node_checks.api import NodeCheckView
from postern.apps.jobs.system_user_tasks.api import SystemUserTasksView

urlpatterns = [
    path("ops/celery/task/<uuid:job_id>/result/", JobResultView.as_view()),
    path("ops/celery/task/<uuid:job_id>/cancel/", JobCancelView.as_view()),
    path("ops/celery/task/<uuid:job_id>/log/", JobLogView.as_view()),
    path("ops/celery/task/<uuid:job_id>/log/file/", JobLogFileView.as_view()),
    path("ops/ansible/task/<uuid:job_id>/log/", JobLogView.as_view()),
    path("assets/assets/tasks/", ManyAssetsTasksView.as_view()),
    path("assets/assets/<uuid:asset_id>/tasks/", AssetTasksView.as_view()),
    path("assets/nodes/<uuid:node_id>/tasks/", NodeTasksView.as_view()),
    path("assets/system-users/<uuid:system_user_id>/tasks/", SystemUserTasksView.as_view()),
    path("assets/gateways/<uuid:gateway_id>/test-connective/", GatewayTestView.as_view()),
    path("assets/nodes/check_assets_amount_task/", NodeCheckView.as_view()),
]
