from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('sessions', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='terminal',
            name='is_lost',
            field=models.BooleanField(default=False, editable=False),
        ),
    ]
