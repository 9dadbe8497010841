from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions", "0006_terminal_is_shut_out")]

    operations = [
        migrations.AddField(
            model_name="filetransfer",
            name="begun_number",
            field=models.PositiveIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="filetransfer",
            name="begun_proof",
            field=models.CharField(blank=True, default="", editable=False, max_length=72),
        ),
        migrations.AddConstraint(
            model_name="filetransfer",
            constraint=models.UniqueConstraint(fields=("session", "begun_number"), name="sessions_transfer_begun_place"),
        ),
    ]
