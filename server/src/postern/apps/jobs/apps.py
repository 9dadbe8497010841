from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "postern.apps.jobs"
    label = "jobs"
