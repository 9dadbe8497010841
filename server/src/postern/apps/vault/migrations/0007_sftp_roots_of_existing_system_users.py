from typing import Any

from django.db import migrations


def confine_nobody(apps: Any, schema_editor: Any) -> None:
    """The column had no effect until now. What users of these system users could reach stays as it was."""
    del schema_editor
    apps.get_model("vault", "SystemUser").objects.exclude(sftp_root="/").update(sftp_root="/")


class Migration(migrations.Migration):
    dependencies = [("vault", "0006_secret_stores")]

    operations = [migrations.RunPython(confine_nobody, migrations.RunPython.noop)]
