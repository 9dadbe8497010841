from django.apps import AppConfig


class OrgsConfig(AppConfig):
    name = "postern.apps.orgs"
    label = "orgs"
    default_auto_field = "django.db.models.BigAutoField"
