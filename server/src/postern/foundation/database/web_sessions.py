"""Django's session table under another app label, because `sessions` is the specification's word for sessions on
assets.
"""

from django.contrib.sessions.apps import SessionsConfig


class WebSessionsConfig(SessionsConfig):
    label = "web_sessions"
