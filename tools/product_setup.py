"""Django with the product's settings, for tools that read declarations. The data folder is temporary."""

import os
import tempfile
from functools import cache


@cache
def set_up() -> "tempfile.TemporaryDirectory[str]":
    """Set Django up once for this process. The answer keeps the folder until the process ends."""
    home = tempfile.TemporaryDirectory()
    os.environ.setdefault("POSTERN_HOME", home.name)
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django  # noqa: PLC0415 - reads the settings during set-up, which create the data folder

    django.setup()
    return home
