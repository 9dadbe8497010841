from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def note_present_epochs(apps: Any, schema_editor: Any) -> None:
    """What is live or not used yet was opened under the present epoch: whatever ended an older epoch has ended the
    session or token too.
    """
    del schema_editor
    epochs = apps.get_model("users", "User").objects.filter(pk=OuterRef("user_id")).values("session_epoch")[:1]
    apps.get_model("sessions", "Session").objects.exclude(state="ended").update(epoch=Subquery(epochs))
    for name in ("ConnectionToken", "WatchToken"):
        apps.get_model("sessions", name).objects.update(epoch=Subquery(epochs))


class Migration(migrations.Migration):
    dependencies = [
        ("sessions", "0007_transfers_begun"),
        ("users", "0004_language_not_chosen"),
    ]

    operations = [
        migrations.AddField(
            model_name=name, name="epoch", field=models.PositiveIntegerField(editable=False, null=True)
        )
        for name in ("session", "connectiontoken", "watchtoken")
    ] + [migrations.RunPython(note_present_epochs, migrations.RunPython.noop)]
