"""What an application of each type is made of (contract: applications, "attrs per type"). Pure data.

Everything else follows from these declarations: what the API accepts and describes, what the row stores, what is
sealed, what audit records mask, and the protocol that system users must speak.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.contracts.enums import Protocol

MAX_TEXT: Final = 128
_MAX_CLUSTER: Final = 1024


class Category(models.TextChoices):
    DB = "db", _("Database")
    REMOTE_APP = "remote_app", _("Remote app")
    CLOUD = "cloud", _("Cloud")


class ApplicationType(models.TextChoices):
    """In the order of the contract. Names of products are the same in every language."""

    MYSQL = "mysql", "MySQL"
    ORACLE = "oracle", "Oracle"
    POSTGRESQL = "postgresql", "PostgreSQL"
    MARIADB = "mariadb", "MariaDB"
    CHROME = "chrome", "Chrome"
    MYSQL_WORKBENCH = "mysql_workbench", "MySQL Workbench"
    VMWARE_CLIENT = "vmware_client", "vSphere Client"
    CUSTOM = "custom", _("Custom")
    K8S = "k8s", "Kubernetes"


class Form(Enum):
    """How the value of an attribute is entered and stored."""

    TEXT = "text"
    HOST = "host"  # a name or an address of the network
    PORT = "port"  # a TCP port, 1-65535
    ASSET = "asset"  # the Windows host that runs the program; stored in a column of the row
    SECRET = "secret"  # noqa: S105 - a kind of field; its values are sealed and never shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One attribute. A `required` attribute is never null or blank; the others may be both."""

    name: str
    label: Promise
    form: Form = Form.TEXT
    required: bool = False
    max_length: int = MAX_TEXT
    default: str | int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One type. `protocol`: what system users for it must speak. `program`: the default path of a remote app."""

    type: ApplicationType
    category: Category
    protocol: Protocol
    attributes: tuple[Attribute, ...]

    @property
    def needs_licence(self) -> bool:
        """Remote apps are a licensed feature (S6-033)."""
        return self.category is Category.REMOTE_APP

    @property
    def secrets(self) -> tuple[str, ...]:
        """Names of the attributes that are sealed."""
        return tuple(attribute.name for attribute in self.attributes if attribute.form is Form.SECRET)


def _database(kind: ApplicationType, protocol: Protocol, port: int) -> Declaration:
    return Declaration(
        type=kind,
        category=Category.DB,
        protocol=protocol,
        attributes=(
            Attribute(name="host", label=_("Host"), form=Form.HOST, required=True),
            Attribute(name="port", label=_("Port"), form=Form.PORT, default=port),
            Attribute(name="database", label=_("Database"), required=True),
        ),
    )


_ASSET: Final = Attribute(name="asset", label=_("Asset"), form=Form.ASSET, required=True)


def _remote_app(kind: ApplicationType, path: str | None, *own: Attribute) -> Declaration:
    """Without a default `path` the administrator must enter it."""
    program = Attribute(name="path", label=_("Application path"), required=path is None, default=path)
    return Declaration(
        type=kind, category=Category.REMOTE_APP, protocol=Protocol.RDP, attributes=(_ASSET, program, *own)
    )


def _username(name: str) -> Attribute:
    return Attribute(name=name, label=_("Username"))


def _password(name: str) -> Attribute:
    return Attribute(name=name, label=_("Password"), form=Form.SECRET)


_ALL: Final = (
    _database(ApplicationType.MYSQL, Protocol.MYSQL, 3306),
    _database(ApplicationType.ORACLE, Protocol.ORACLE, 1521),
    _database(ApplicationType.POSTGRESQL, Protocol.POSTGRESQL, 5432),
    _database(ApplicationType.MARIADB, Protocol.MARIADB, 3306),
    _remote_app(
        ApplicationType.CHROME,
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
        Attribute(name="chrome_target", label=_("Target URL")),
        _username("chrome_username"),
        _password("chrome_password"),
    ),
    _remote_app(
        ApplicationType.MYSQL_WORKBENCH,
        r"C:\Program Files\MySQL\MySQL Workbench 8.0 CE\MySQLWorkbench.exe",
        Attribute(name="mysql_workbench_ip", label=_("IP")),
        Attribute(name="mysql_workbench_port", label=_("Port"), form=Form.PORT),
        Attribute(name="mysql_workbench_name", label=_("Database")),
        _username("mysql_workbench_username"),
        _password("mysql_workbench_password"),
    ),
    _remote_app(
        ApplicationType.VMWARE_CLIENT,
        r"C:\Program Files (x86)\VMware\Infrastructure\Virtual Infrastructure Client\Launcher\VpxClient.exe",
        Attribute(name="vmware_target", label=_("Target URL")),
        _username("vmware_username"),
        _password("vmware_password"),
    ),
    _remote_app(
        ApplicationType.CUSTOM,
        None,
        Attribute(name="custom_cmdline", label=_("Operating parameter")),
        Attribute(name="custom_target", label=_("Target URL")),
        _username("custom_username"),
        _password("custom_password"),
    ),
    Declaration(
        type=ApplicationType.K8S,
        category=Category.CLOUD,
        protocol=Protocol.K8S,
        attributes=(Attribute(name="cluster", label=_("Cluster"), required=True, max_length=_MAX_CLUSTER),),
    ),
)

#: Stored value of the type → its declaration.
DECLARATIONS: Final[Mapping[str, Declaration]] = {declaration.type.value: declaration for declaration in _ALL}


def types_of(category: str) -> tuple[Declaration, ...]:
    """The types of a category; none for an unknown category."""
    return tuple(declaration for declaration in _ALL if declaration.category == category)


def common_attributes(category: str) -> tuple[Attribute, ...]:
    """The attributes that all types of a category have. Lists of a category show these."""
    declarations = types_of(category)
    if not declarations:
        return ()
    shared = set.intersection(*({attribute.name for attribute in each.attributes} for each in declarations))
    return tuple(attribute for attribute in declarations[0].attributes if attribute.name in shared)
