"""How a Windows host starts a remote app (contract: applications, "Components")."""

import re
from typing import Final

from postern.apps.applications.kinds.declarations import Form
from postern.apps.applications.managed.models import Application

#: The program that the host publishes. It starts what the parameters name.
PROGRAM: Final = "||jmservisor"


def parameters_of(row: Application) -> str:
    """The parameters of that program: the type, and the attributes in the order of the declaration, each in quotation
    marks. An empty one keeps its place. Secrets are left out: they are released for one session, never for a type of
    application (K1).
    """
    given = [
        "" if row.attrs.get(attribute.name) is None else str(row.attrs[attribute.name])
        for attribute in row.declaration.attributes
        if attribute.form not in {Form.ASSET, Form.SECRET}
    ]
    while given and not given[-1]:
        given.pop()
    return " ".join([row.type, *(_quoted(value) for value in given)])


def _quoted(value: str) -> str:
    """As programs on Windows read it: a backslash counts only before a quotation mark."""
    inner = re.sub(r'(\\*)"', r'\1\1\\"', value)
    return '"' + re.sub(r"(\\+)$", r"\1\1", inner) + '"'
