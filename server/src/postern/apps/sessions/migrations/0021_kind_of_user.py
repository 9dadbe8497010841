"""Each session tells whether its user is a person or a service account, so that the audit rows about it can, too."""

from typing import Any

from django.db import migrations, models


def of_service_accounts(apps: Any, schema_editor: Any) -> None:
    del schema_editor
    accounts = apps.get_model("users", "User").objects.filter(kind="service").values("pk")
    apps.get_model("sessions", "Session").objects.filter(user_id__in=accounts).update(actor_kind="service")


class Migration(migrations.Migration):
    dependencies = [("sessions", "0020_asset_of_commands"), ("users", "0008_service_accounts")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="actor_kind",
            field=models.CharField(
                choices=[("user", "Person"), ("service", "Service account")],
                default="user",
                max_length=16,
                verbose_name="Kind of user",
            ),
        ),
        migrations.RunPython(of_service_accounts, migrations.RunPython.noop),
    ]
