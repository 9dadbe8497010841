"""Django application of reports."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "postern.apps.reports"
    label = "reports"
