"""Routes of access plans, relative to /api/v1/."""

from django.urls import path

from postern.apps.plans.applying.api.views import ApplyView, ExportView, PlanView

urlpatterns = [
    path("perms/plan/", PlanView.as_view(), name="access-plan"),
    path("perms/apply/", ApplyView.as_view(), name="access-plan-apply"),
    path("perms/export/", ExportView.as_view(), name="access-plan-export"),
]
