from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("authn", "0007_answered_sign_ins")]

    operations = [
        migrations.CreateModel(
            name="PastSignatures",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("user_id", models.UUIDField(editable=False)),
                ("key_hash", models.CharField(editable=False, max_length=64)),
                ("part", models.PositiveSmallIntegerField(editable=False)),
                ("digests", models.BinaryField()),
            ],
            options={"verbose_name": "Past signatures"},
        ),
        migrations.AddConstraint(
            model_name="pastsignatures",
            constraint=models.UniqueConstraint(
                fields=("user_id", "key_hash", "part"), name="authn_pastsignatures_unique"
            ),
        ),
    ]
