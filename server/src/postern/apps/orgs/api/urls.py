from django.urls import path

from postern.apps.orgs.api.views import CurrentOrganizationView

urlpatterns = [path("orgs/orgs/current/", CurrentOrganizationView.as_view(), name="current-organization")]
