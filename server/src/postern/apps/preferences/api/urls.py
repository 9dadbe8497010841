from django.urls import path

from postern.apps.preferences.api.views import PublicSettingsView, SettingsView

urlpatterns = [
    path("settings/public/", PublicSettingsView.as_view(), name="public-settings"),
    path("settings/setting/", SettingsView.as_view(), name="settings"),
]
