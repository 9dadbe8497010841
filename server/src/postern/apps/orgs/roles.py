"""Roles of users in an organization."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class OrgRole(models.TextChoices):
    """Role in one organization."""

    ADMIN = "Admin", _("Organization administrator")
    AUDITOR = "Auditor", _("Organization auditor")
    USER = "User", _("User")
