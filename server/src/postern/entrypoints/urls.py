"""The root URL configuration: the `urlpatterns` of every app under `/api/v1/`, and pages.

Apps declare paths relative to `/api/v1/` (`users/users/…`). Pages outside the API have full paths, in
`page_urlpatterns` of the same modules.
"""

from django.urls import URLPattern, URLResolver, include, path, re_path

from postern.apps.acls import urls as acls
from postern.apps.applications import urls as applications
from postern.apps.assets import urls as assets
from postern.apps.audits.api import urls as audits
from postern.apps.authn import urls as authn
from postern.apps.directory.api import urls as directory
from postern.apps.forwarding import urls as forwarding
from postern.apps.jobs import urls as jobs
from postern.apps.licence.api import urls as licence
from postern.apps.notifications.api import urls as notifications
from postern.apps.orgs.api import urls as orgs
from postern.apps.perms import urls as perms
from postern.apps.plans import urls as plans
from postern.apps.preferences.api import urls as preferences
from postern.apps.reports import urls as reports
from postern.apps.sessions import urls as sessions
from postern.apps.users import urls as users
from postern.apps.vault import urls as vault
from postern.foundation.pages.console_files import (
    go_home,
    go_to_files,
    go_to_job_log,
    go_to_monitor,
    go_to_session,
    go_to_terminal,
    serve_console,
)
from postern.foundation.pages.legacy_paths import SINGULAR, legacy_api, singular_alias
from postern.foundation.parts.health_view import show_health
from postern.foundation.rest.openapi import pages as description
from postern.foundation.rest.selection_view import SelectionView

handler400 = "postern.foundation.rest.errors.handler400"
handler403 = "postern.foundation.rest.errors.handler403"
handler404 = "postern.foundation.rest.errors.handler404"
handler500 = "postern.foundation.rest.errors.handler500"

_Patterns = list[URLPattern | URLResolver]

# `jobs` before `assets`: the path of the check of the tree would otherwise be read as the key of a node.
_APPS = (
    audits,
    licence,
    orgs,
    preferences,
    users,
    directory,
    authn,
    jobs,
    assets,
    acls,
    vault,
    applications,
    perms,
    plans,
    sessions,
    notifications,
    forwarding,
    reports,
)
_api: _Patterns = [pattern for app in _APPS for pattern in app.urlpatterns]

urlpatterns: _Patterns = [
    path("", go_home, name="home"),
    path("luna/", go_to_terminal, name="web-terminal"),
    *[
        re_path(rf"^luna/{old}/(?P<session_id>[0-9a-fA-F-]{{36}})/?$", go_to_session, {"tab": tab}, name=f"luna-{old}")
        for old, tab in (("replay", "replay"), ("monitor", "watch"))
    ],
    path("core/ops/celery/task/<uuid:job_id>/log/", go_to_job_log, name="job-log"),
    re_path(r"^core/flower(?:/.*)?$", go_to_monitor, name="core-task-monitor"),
    path("flower", go_to_monitor, name="task-monitor-without-slash"),
    *jobs.page_urlpatterns,
    path("koko/elfinder/sftp/", go_to_files, name="file-manager"),
    path("ui", go_home, name="console-without-slash"),
    path("ui/", serve_console, name="console"),
    path("ui/<path:name>", serve_console, name="console-path"),
    path("api/health/", show_health, name="health"),
    path("api/v1/health/", show_health, name="health-v1"),
    path("api/v1/common/resources/cache/", SelectionView.as_view(), name="resource-selection"),
    path("api/v1/", include(_api)),
    *description.urlpatterns,
    *authn.page_urlpatterns,
    *sessions.page_urlpatterns,
    *[
        re_path(rf"^api/v1/{app}/{resource}/(?P<rest>.*)$", singular_alias, {"app": app, "resource": resource})
        for app, resource in SINGULAR
    ],
    re_path(r"^api/(?P<app>[a-z-]+)/v1/(?P<rest>.*)$", legacy_api, name="legacy-api"),
]
