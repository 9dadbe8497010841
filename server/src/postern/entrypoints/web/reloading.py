"""The application for `postern web --reload`: a single process that uvicorn restarts when the code changes.

It has the routes for developers, which no other application has.
"""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "postern.foundation.django_settings")

from django.conf import settings

settings.ROOT_URLCONF = "postern.entrypoints.development.urls"  # before the application looks at its routes

from postern.entrypoints.asgi import application  # sets Django up

from postern.apps.sessions.heartbeats import presence  # isort: skip

__all__ = ["application"]

presence.start()
