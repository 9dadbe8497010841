"""The application for `postern web --reload`: a single process that uvicorn restarts when the code changes."""

from postern.entrypoints.asgi import application  # sets Django up: first

from postern.apps.sessions.heartbeats import presence  # isort: skip

__all__ = ["application"]

presence.start()
