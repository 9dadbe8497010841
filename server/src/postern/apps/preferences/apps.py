from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    name = "postern.apps.preferences"
    label = "preferences"
    default_auto_field = "django.db.models.BigAutoField"
