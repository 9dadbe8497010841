"""Django's session table under another label, because `sessions` is the spec's word for sessions on assets."""

from django.contrib.sessions.apps import SessionsConfig


class WebSessionsConfig(SessionsConfig):
    label = "web_sessions"
