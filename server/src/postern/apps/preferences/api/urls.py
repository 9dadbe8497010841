from django.urls import path

from postern.apps.preferences.api.about import AboutView
from postern.apps.preferences.api.views import (
    DingtalkTestView,
    FeishuTestView,
    MailTestView,
    PublicSettingsView,
    SettingsStateView,
    SettingsView,
    UndoView,
    WecomTestView,
)

urlpatterns = [
    path("settings/mail/testing/", MailTestView.as_view(), name="mail-test"),
    path("settings/wecom/testing/", WecomTestView.as_view(), name="wecom-test"),
    path("settings/dingtalk/testing/", DingtalkTestView.as_view(), name="dingtalk-test"),
    path("settings/feishu/testing/", FeishuTestView.as_view(), name="feishu-test"),
    path("settings/public/", PublicSettingsView.as_view(), name="public-settings"),
    path("settings/setting/", SettingsView.as_view(), name="settings"),
    path("settings/setting/state/", SettingsStateView.as_view(), name="settings-state"),
    path("settings/about/", AboutView.as_view(), name="settings-about"),
    path("settings/setting/undo/", UndoView.as_view(), name="settings-undo"),
]
