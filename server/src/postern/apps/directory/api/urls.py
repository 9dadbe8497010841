from django.urls import path

from postern.apps.directory.api.views import (
    CacheViewSet,
    EntryViewSet,
    ImportView,
    SettingsTestView,
    SignInTestView,
    SynchronisationView,
)

urlpatterns = [
    path("settings/ldap/testing/config/", SettingsTestView.as_view(), name="ldap-settings-test"),
    path("settings/ldap/testing/login/", SignInTestView.as_view(), name="ldap-sign-in-test"),
    path("settings/ldap/users/", EntryViewSet.as_view({"get": "list"}), name="ldap-users"),
    path("settings/ldap/users/import/", ImportView.as_view(), name="ldap-users-import"),
    path(
        "settings/ldap/cache/refresh/",
        CacheViewSet.as_view({"get": "refresh", "post": "refresh"}),
        name="ldap-cache-refresh",
    ),
    path("settings/ldap/sync/", SynchronisationView.as_view(), name="ldap-sync"),
]
