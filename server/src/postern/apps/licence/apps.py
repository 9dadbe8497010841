from django.apps import AppConfig


class LicenceConfig(AppConfig):
    name = "postern.apps.licence"
    label = "licence"
    default_auto_field = "django.db.models.BigAutoField"
