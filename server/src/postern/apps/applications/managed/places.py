"""Places of the secrets of applications."""

from typing import Final

from postern.apps.applications.managed.models import Application
from postern.apps.vault import facade as vault

#: Table name of applications in the places of their secrets.
APPLICATIONS: Final = "applications_application"


def place_of(application: Application, attribute: str = "") -> vault.SecretPlace:
    """Place of a secret attribute of an application."""
    return vault.SecretPlace(table=APPLICATIONS, row_id=application.pk, org_id=application.org_id, column=attribute)
