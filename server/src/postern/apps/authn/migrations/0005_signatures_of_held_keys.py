from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("authn", "0004_proxy_tickets")]

    operations = [
        migrations.AddField(
            model_name="usedsignature",
            name="attempt_hash",
            field=models.CharField(blank=True, default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="usedsignature", name="user_id", field=models.UUIDField(editable=False, null=True)
        ),
        migrations.AddField(
            model_name="usedsignature",
            name="key_hash",
            field=models.CharField(blank=True, default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="usedsignature",
            name="date_repeatable",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
