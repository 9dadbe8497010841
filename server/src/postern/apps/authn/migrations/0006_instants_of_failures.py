from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("authn", "0005_signatures_of_held_keys")]

    operations = [
        migrations.RenameField(model_name="signinguard", old_name="date_window_start", new_name="date_last_failure"),
        migrations.AddField(
            model_name="signinguard", name="recent", field=models.JSONField(default=list, editable=False)
        ),
    ]
