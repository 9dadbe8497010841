"""Nobody has chosen a language by being made: "" is no choice."""

from typing import Any

from django.db import migrations, models


def forget_defaults(apps: Any, schema_editor: Any) -> None:
    """Who has never completed a first sign-in has Chinese from the old default, not by choice."""
    users = apps.get_model("users", "User").objects.using(schema_editor.connection.alias)
    users.filter(language="zh-hans", is_first_login=True).update(language="")


class Migration(migrations.Migration):
    dependencies = [("users", "0003_known_places_and_links")]

    operations = [
        migrations.AlterField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True,
                choices=[("zh-hans", "中文(简体)"), ("en", "English")],
                default="",
                max_length=16,
                verbose_name="Language",
            ),
        ),
        migrations.RunPython(forget_defaults, migrations.RunPython.noop),
    ]
