"""The last installed Django app, which connects the others."""

from django.apps import AppConfig


class EntrypointsConfig(AppConfig):
    """Django calls `ready` after all apps have loaded their models."""

    name = "postern.entrypoints"
    label = "entrypoints"

    def ready(self) -> None:
        from postern.entrypoints.composition import compose

        compose()
