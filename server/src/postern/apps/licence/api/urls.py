from django.urls import path

from postern.apps.licence.api.views import LicenceDetailView, LicenceImportView

urlpatterns = [
    path("xpack/license/detail", LicenceDetailView.as_view(), name="licence-detail"),
    path("xpack/license/import", LicenceImportView.as_view(), name="licence-import"),
]
