from typing import Any, Final

from django.db import migrations

OLD: Final = "CommandRefusedMessage"
NEW: Final = "CommandAlertMessage"


def rename(apps: Any, schema_editor: Any) -> None:
    """The type of messages about refused commands has a new name: webhooks that chose it go on getting them."""
    for hook in apps.get_model("forwarding", "Webhook").objects.all():
        if OLD in hook.message_types:
            hook.message_types = [NEW if name == OLD else name for name in hook.message_types]
            hook.save(update_fields=["message_types"])


class Migration(migrations.Migration):

    dependencies = [
        ("forwarding", "0001_initial"),
    ]

    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
