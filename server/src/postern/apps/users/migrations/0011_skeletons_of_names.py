from typing import Any

from django.db import migrations, models

from postern.apps.users.accounts.lookalikes import skeleton_of

_BATCH = 500


def fill(apps: Any, schema_editor: Any) -> None:
    """Of accounts that look alike already, the oldest holds the skeleton; the others stay as they are."""
    rows = apps.get_model("users", "User").objects
    seen: set[str] = set()
    batch = []
    for user in rows.order_by("date_joined", "pk").only("pk", "username_key").iterator(chunk_size=_BATCH):
        skeleton = skeleton_of(user.username_key)
        if skeleton in seen:
            continue
        seen.add(skeleton)
        user.username_skeleton = skeleton
        batch.append(user)
        if len(batch) == _BATCH:
            rows.bulk_update(batch, ["username_skeleton"])
            batch = []
    rows.bulk_update(batch, ["username_skeleton"])


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0010_search_in_order'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='username_skeleton',
            field=models.CharField(editable=False, max_length=320, null=True, unique=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
