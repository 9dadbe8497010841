"""Routes of reports, relative to /api/v1/."""

from django.urls import path

from postern.apps.reports.dashboard.api import DashboardView
from postern.apps.reports.needs.api import NeedsView

urlpatterns = [
    path("index/", DashboardView.as_view(), name="dashboard"),
    path("index/needs/", NeedsView.as_view(), name="needs"),
]
