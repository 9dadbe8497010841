"""The last of the installed apps, which connects the others."""

from django.apps import AppConfig


class EntrypointsConfig(AppConfig):
    """`ready` is called when all apps have loaded their models."""

    name = "postern.entrypoints"
    label = "entrypoints"

    def ready(self) -> None:
        from postern.entrypoints.composition import compose

        compose()
