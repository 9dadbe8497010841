from django.urls import path

from postern.apps.preferences.api.about import AboutView
from postern.apps.preferences.api.views import (
    MailTestView,
    PublicSettingsView,
    SettingsStateView,
    SettingsView,
    UndoView,
)

urlpatterns = [
    path("settings/mail/testing/", MailTestView.as_view(), name="mail-test"),
    path("settings/public/", PublicSettingsView.as_view(), name="public-settings"),
    path("settings/setting/", SettingsView.as_view(), name="settings"),
    path("settings/setting/state/", SettingsStateView.as_view(), name="settings-state"),
    path("settings/about/", AboutView.as_view(), name="settings-about"),
    path("settings/setting/undo/", UndoView.as_view(), name="settings-undo"),
]
