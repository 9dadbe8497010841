"""Each command gets the id of its asset, so that the commands of one asset are found by an index."""

from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def copy_from_sessions(apps: Any, schema_editor: Any) -> None:
    del schema_editor
    asset_ids = apps.get_model("sessions", "Session").objects.filter(pk=OuterRef("session_id")).values("asset_id")[:1]
    apps.get_model("sessions", "Command").objects.update(asset_id=Subquery(asset_ids))


class Migration(migrations.Migration):
    dependencies = [("sessions", "0019_entered_credentials_of_user")]

    operations = [
        migrations.AddField(
            model_name="command",
            name="asset_id",
            field=models.UUIDField(null=True, verbose_name="Asset ID"),
        ),
        migrations.RunPython(copy_from_sessions, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="command",
            name="asset_id",
            field=models.UUIDField(verbose_name="Asset ID"),
        ),
        migrations.AddIndex(
            model_name="command",
            index=models.Index(fields=["asset_id", "org_id", "-at"], name="sessions_command_asset_id"),
        ),
        migrations.AddIndex(
            model_name="command",
            index=models.Index(fields=["asset", "org_id", "-at"], name="sessions_command_asset"),
        ),
    ]
