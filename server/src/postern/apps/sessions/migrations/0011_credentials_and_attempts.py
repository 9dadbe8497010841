from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions", "0010_renewal_of_one_process")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="credential",
            field=models.CharField(blank=True, db_index=True, default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="session",
            name="release_attempt",
            field=models.CharField(blank=True, default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="connectiontoken", name="opened", field=models.UUIDField(editable=False, null=True)
        ),
    ] + [
        migrations.AddField(model_name=name, name=column, field=field)
        for name in ("connectiontoken", "watchtoken")
        for column, field in (
            ("credential", models.CharField(blank=True, default="", editable=False, max_length=64)),
            ("attempt_hash", models.CharField(blank=True, default="", editable=False, max_length=64)),
            ("denial", models.JSONField(editable=False, null=True)),
        )
    ]
