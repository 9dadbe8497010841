"""Routes of reports, relative to /api/v1/."""

from django.urls import path

from postern.apps.reports.dashboard.api import DashboardView

urlpatterns = [path("index/", DashboardView.as_view(), name="dashboard")]
