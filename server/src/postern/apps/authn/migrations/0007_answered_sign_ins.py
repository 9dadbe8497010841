import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("authn", "0006_instants_of_failures")]

    operations = [
        migrations.CreateModel(
            name="AnsweredSignIn",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=64, unique=True)),
                ("counted", models.JSONField(null=True)),
                ("denial", models.JSONField(null=True)),
                ("date_answered", models.DateTimeField(null=True)),
                ("date_expired", models.DateTimeField(db_index=True)),
                (
                    "pending",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="authn.pendingsignin",
                    ),
                ),
                (
                    "sign_in",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="authn.proxysignin",
                    ),
                ),
            ],
            options={"verbose_name": "Answered sign-in"},
        ),
    ]
