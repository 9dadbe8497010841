"""Routes of jobs: `urlpatterns` relative to /api/v1/, `page_urlpatterns` to the root."""

from django.urls import path, re_path

from postern.apps.jobs.account_tasks.api import TASKS, VERIFY
from postern.apps.jobs.asset_tasks.api import AssetTasksView, ManyAssetsTasksView, NodeTasksView
from postern.apps.jobs.batch_commands.api.audit_log import BatchCommandLogViewSet, CommandHostRelationViewSet
from postern.apps.jobs.batch_commands.api.commands import BatchCommandViewSet
from postern.apps.jobs.batch_commands.api.outputs import CommandGroupsView, CommandHostViewSet
from postern.apps.jobs.command_snippets.api import CommandSnippetViewSet
from postern.apps.jobs.engine.api import JobCancelView, JobResultView
from postern.apps.jobs.gateway_tests.api import GatewayTestView
from postern.apps.jobs.job_center.api.executions import ExecutionViewSet, HostOutcomeViewSet
from postern.apps.jobs.job_center.api.tasks import TaskViewSet
from postern.apps.jobs.job_center.api.versions import VersionViewSet
from postern.apps.jobs.log_reading.api import JobLogFileView, JobLogView
from postern.apps.jobs.node_checks.api import NodeCheckView
from postern.apps.jobs.periodic_tasks.api import PeriodicTaskViewSet
from postern.apps.jobs.system_user_tasks.api import SystemUserTasksView
from postern.apps.jobs.task_monitor.api import MonitorPageView, MonitorTasksView
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("ops/tasks", TaskViewSet, "ops-task")
router.register("ops/adhoc", VersionViewSet, "ops-adhoc")
router.register("ops/adhoc-executions", ExecutionViewSet, "ops-adhoc-execution")
router.register(r"ops/adhoc-executions/(?P<execution_pk>[^/.]+)/hosts", HostOutcomeViewSet, "ops-adhoc-execution-host")
router.register("ops/command-executions", BatchCommandViewSet, "ops-command-execution")
router.register(
    r"ops/command-executions/(?P<execution_pk>[^/.]+)/hosts", CommandHostViewSet, "ops-command-execution-host"
)
router.register("ops/command-snippets", CommandSnippetViewSet, "ops-command-snippet")
router.register("audits/command-execution-logs", BatchCommandLogViewSet, "audits-command-execution-log")
router.register(
    "audits/command-executions-hosts-relations", CommandHostRelationViewSet, "audits-command-execution-host"
)

urlpatterns = [
    *router.urls,
    path("ops/command-executions/<str:execution_pk>/groups/", CommandGroupsView.as_view()),
    path("ops/celery/period-tasks/", PeriodicTaskViewSet.as_view({"get": "list"})),
    path(
        "ops/celery/period-tasks/<str:pk>/",
        PeriodicTaskViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
    ),
    path("ops/celery/task/<uuid:job_id>/result/", JobResultView.as_view()),
    path("ops/celery/task/<uuid:job_id>/cancel/", JobCancelView.as_view()),
    path("ops/celery/task/<uuid:job_id>/log/", JobLogView.as_view()),
    path("ops/celery/task/<uuid:job_id>/log/file/", JobLogFileView.as_view()),
    path("ops/ansible/task/<uuid:job_id>/log/", JobLogView.as_view()),
    path("assets/assets/tasks/", ManyAssetsTasksView.as_view()),
    path("assets/assets/<uuid:asset_id>/tasks/", AssetTasksView.as_view()),
    path("assets/nodes/<uuid:node_id>/tasks/", NodeTasksView.as_view()),
    path("assets/accounts/tasks/", TASKS),
    path("assets/accounts/<uuid:pk>/verify/", VERIFY),
    path("assets/system-users/<uuid:system_user_id>/tasks/", SystemUserTasksView.as_view()),
    path("assets/gateways/<uuid:gateway_id>/test-connective/", GatewayTestView.as_view()),
    path("assets/nodes/check_assets_amount_task/", NodeCheckView.as_view()),
]

page_urlpatterns = [
    path("flower/tasks/datatable", MonitorTasksView.as_view(), name="task-monitor-tasks"),
    re_path(r"^flower/(?P<rest>.*)$", MonitorPageView.as_view(), name="task-monitor"),
]
