from django.apps import AppConfig


class DirectoryConfig(AppConfig):
    name = "postern.apps.directory"
    label = "directory"
    default_auto_field = "django.db.models.BigAutoField"
