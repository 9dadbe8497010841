"""Assets, nodes, labels and domains, which refer to each other, and the change list of the tree.

The tree is stored in three forms. `parent` is authoritative. The API shows `key` and `full_value`. `NodePath` lists
every (ancestor, descendant) pair, so that "below this node" and "above this node" are plain joins on both databases.
`actions` updates the three together; nothing else writes them.
"""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.platforms.models import Platform
from postern.apps.assets.tree.node_keys import MAX_KEY_LENGTH
from postern.contracts.enums import Protocol
from postern.foundation.models import OrgOwnedModel, SavedRow, ScopedManager
from postern.foundation.phrases import why

#: Length of the reason why an asset could not be reached.
MAX_REASON: Final = 512
#: By what nodes are sorted first. Whole paths are longer than an entry of an index of PostgreSQL may be. The length is
#: part of the text, because SQLite finds the index only without parameters.
PATH_START: Final = models.Func("full_value", template="SUBSTR(%(expressions)s, 1, 255)")


class Connectivity(models.TextChoices):
    """Result of the last connection test."""

    UNKNOWN = "unknown", _("Unknown")
    OK = "ok", _("Reachable")
    FAILED = "failed", _("Unreachable")


class LabelCategory(models.TextChoices):
    SYSTEM = "S", _("System")
    USER = "U", _("User")


class Node(OrgOwnedModel):
    """A folder of the asset tree. Each organization has exactly one root."""

    key = models.CharField(_("Key"), max_length=MAX_KEY_LENGTH, unique=True, editable=False)
    value = models.CharField(_("Value"), max_length=128)
    full_value = models.TextField(_("Full value"), max_length=4096, editable=False)
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children", editable=False)
    #: Number of the next child. It never decreases, so that the key of a deleted node is not reused.
    next_child = models.PositiveIntegerField(default=0, editable=False)

    objects = ScopedManager()

    class Meta:
        ordering = ("key",)
        verbose_name = _("Node")
        indexes = [models.Index("org_id", PATH_START, name="assets_node_by_path")]
        constraints = [
            models.UniqueConstraint(fields=("parent", "value"), name="assets_node_unique_among_siblings"),
            models.UniqueConstraint(
                fields=("org_id",), condition=models.Q(parent__isnull=True), name="assets_node_one_root_per_org"
            ),
        ]

    def __str__(self) -> str:
        return self.full_value

    @property
    def is_root(self) -> bool:
        return self.parent_id is None


class NodePath(SavedRow):
    """One (ancestor, descendant) pair of the tree. Every node is also its own ancestor."""

    ancestor = models.ForeignKey(Node, models.CASCADE, related_name="paths_down")
    descendant = models.ForeignKey(Node, models.CASCADE, related_name="paths_up")

    class Meta:
        constraints = [models.UniqueConstraint(fields=("ancestor", "descendant"), name="assets_nodepath_unique")]

    def __str__(self) -> str:
        return f"{self.ancestor_id} > {self.descendant_id}"


class Label(OrgOwnedModel):
    """A `name:value` pair that is attached to assets."""

    name = models.CharField(_("Name"), max_length=128)
    value = models.CharField(_("Value"), max_length=128)
    category = models.CharField(
        _("Category"), max_length=1, choices=LabelCategory.choices, default=LabelCategory.USER, editable=False
    )
    is_active = models.BooleanField(_("Is active"), default=True)

    objects = ScopedManager()

    class Meta:
        ordering = ("name", "value")
        verbose_name = _("Label")
        constraints = [models.UniqueConstraint(fields=("name", "value", "org_id"), name="assets_label_unique")]
        indexes = [models.Index(fields=("org_id", "name", "value"), name="assets_label_order")]

    def __str__(self) -> str:
        return f"{self.name}:{self.value}"


class Domain(OrgOwnedModel):
    """A network zone. Its assets are reached through its gateways, which are in the vault.

    `reached_through`: the gateways of that domain lead to the gateways of this domain. Whatever refers to a domain protects
    it: an asset that lost its domain would be connected to directly.
    """

    name = models.CharField(
        _("Name"),
        max_length=128,
        help_text=_("Without a gateway a domain is only a label: its assets are connected to directly."),
    )
    reached_through = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="leads_to",
        verbose_name=_("Reached through"),
        help_text=_("The domain whose gateways lead to the gateways of this domain. Empty: they are reached directly."),
    )

    objects = ScopedManager()

    class Meta:
        ordering = ("name", "id")
        verbose_name = _("Domain")
        constraints = [
            models.UniqueConstraint(fields=("org_id", "name"), name="assets_domain_unique"),
            models.CheckConstraint(
                condition=models.Q(reached_through__isnull=True) | ~models.Q(reached_through=models.F("id")),
                name="assets_domain_not_through_itself",
            ),
        ]
        indexes = [models.Index(fields=("org_id", "name", "id"), name="assets_domain_order")]

    def __str__(self) -> str:
        return self.name


class Asset(OrgOwnedModel):
    """A system that users can sign in to over the network."""

    #: Index of the asset in bitmaps: counted per organization, nearly without gaps, never reused.
    dense_id = models.PositiveBigIntegerField(editable=False)
    hostname = models.CharField(_("Hostname"), max_length=128)
    ip = models.CharField(_("IP"), max_length=128, db_index=True)
    platform = models.ForeignKey(Platform, models.PROTECT, related_name="assets", verbose_name=_("Platform"))
    is_active = models.BooleanField(_("Is active"), default=True)
    #: Id of a system user of type admin. It is not a foreign key, because system users belong to a higher layer.
    admin_user_id = models.UUIDField(_("Admin user"), null=True, blank=True, db_index=True)
    nodes = models.ManyToManyField(Node, through="AssetNode", related_name="assets", verbose_name=_("Nodes"))
    labels = models.ManyToManyField(Label, related_name="assets", blank=True, verbose_name=_("Labels"))
    #: Protected, because an asset without its domain would be connected to directly.
    domain = models.ForeignKey(
        Domain,
        models.PROTECT,
        null=True,
        blank=True,
        db_index=False,
        related_name="assets",
        verbose_name=_("Domain"),
        help_text=_("The network zone of the asset. If it has gateways, the asset is reached only through them."),
    )

    public_ip = models.CharField(_("Public IP"), max_length=128, null=True, blank=True)
    number = models.CharField(_("Asset number"), max_length=32, null=True, blank=True)
    vendor = models.CharField(_("Vendor"), max_length=64, null=True, blank=True)
    model = models.CharField(_("Model"), max_length=54, null=True, blank=True)
    sn = models.CharField(_("Serial number"), max_length=128, null=True, blank=True)
    cpu_model = models.CharField(_("CPU model"), max_length=64, null=True, blank=True)
    cpu_count = models.PositiveIntegerField(_("CPU count"), null=True, blank=True)
    cpu_cores = models.PositiveIntegerField(_("CPU cores"), null=True, blank=True)
    cpu_vcpus = models.PositiveIntegerField(_("CPU vcpus"), null=True, blank=True)
    memory = models.CharField(_("Memory"), max_length=64, null=True, blank=True)
    disk_total = models.CharField(_("Disk total"), max_length=1024, null=True, blank=True)
    disk_info = models.CharField(_("Disk info"), max_length=1024, null=True, blank=True)
    os = models.CharField(_("OS"), max_length=128, null=True, blank=True)
    os_version = models.CharField(_("OS version"), max_length=16, null=True, blank=True)
    os_arch = models.CharField(_("OS arch"), max_length=16, null=True, blank=True)
    hostname_raw = models.CharField(_("Hostname raw"), max_length=128, null=True, blank=True)

    connectivity = models.CharField(
        _("Connectivity"), max_length=8, choices=Connectivity.choices, default=Connectivity.UNKNOWN
    )
    date_verified = models.DateTimeField(_("Date verified"), null=True, blank=True)
    #: Why it could not be reached the last time; "" if it could.
    #: Why it was not reached, in its first language, and as a sentence for readers of other languages.
    connectivity_reason = models.CharField(_("Reason"), max_length=MAX_REASON, blank=True, default="", editable=False)
    connectivity_sentence = models.JSONField(null=True, editable=False)

    objects = ScopedManager()

    class Meta:
        ordering = ("hostname", "id")
        verbose_name = _("Asset")
        constraints = [
            models.UniqueConstraint(fields=("org_id", "hostname"), name="assets_asset_unique"),
            models.UniqueConstraint(fields=("org_id", "dense_id"), name="assets_asset_dense_id_unique"),
        ]
        #: For lists over several organizations in order, and for the names that users type to connect.
        indexes = [
            models.Index(fields=("hostname", "id"), name="assets_asset_by_name"),
            # Most assets have no domain; with them in the index, SQLite would rather read the whole table.
            models.Index(fields=("domain",), condition=models.Q(domain__isnull=False), name="assets_asset_of_domain"),
            models.Index(
                fields=("org_id",),
                condition=models.Q(connectivity=Connectivity.FAILED.value),
                name="assets_asset_unreachable",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hostname}({self.ip})"

    @property
    def connectivity_why(self) -> str:
        """Why it was not reached, in the active language."""
        return why(self.connectivity_sentence, self.connectivity_reason)

    @property
    def hardware_info(self) -> str:
        """`vendor cores memory`, as far as known, for one list column."""
        cores = f"{self.cpu_cores} Core" if self.cpu_cores else ""
        return " ".join(part for part in (self.vendor or "", cores, self.memory or "") if part)


class AssetProtocol(SavedRow):
    """One protocol of an asset and its port. `position` stores the order in which the client gave them."""

    #: Its own index is the covering one below.
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="protocol_rows", db_index=False)
    name = models.CharField(max_length=16, choices=[(item.value, item.value) for item in Protocol])
    port = models.PositiveIntegerField()
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=("asset", "name"), name="assets_assetprotocol_unique"),
            models.CheckConstraint(condition=models.Q(port__gte=1, port__lte=65535), name="assets_assetprotocol_port"),
        ]
        indexes = [
            models.Index(fields=("name", "asset"), name="assets_protocol_by_name"),
            # All columns that lists and trees show, so that they read the index alone.
            models.Index(fields=("asset", "position", "name", "port"), name="assets_protocol_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.name}/{self.port}"


class AssetNode(SavedRow):
    """Placement of an asset in a node; an asset may be in several nodes."""

    asset = models.ForeignKey(Asset, models.CASCADE, related_name="node_rows")
    node = models.ForeignKey(Node, models.PROTECT, related_name="asset_rows")

    class Meta:
        constraints = [models.UniqueConstraint(fields=("node", "asset"), name="assets_assetnode_unique")]

    def __str__(self) -> str:
        return f"{self.asset_id} in {self.node_id}"


class TreeVersion(SavedRow):
    """One row per organization. Every write of the tree or its assets locks it first.

    The row serializes these writes, counts them (`seq`) and hands out `dense_id`s. `seq` follows commit order, which a
    database sequence does not. A reader that has seen `seq` has therefore seen every earlier write.
    """

    org_id = models.UUIDField(primary_key=True)
    seq = models.PositiveBigIntegerField(default=0)
    next_dense_id = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.org_id} {self.seq}"


class TreeChangeKind(models.TextChoices):
    ASSET = "asset", "asset"  # asset created, deleted, switched on or off, renamed, or its protocols changed
    NODE = "node", "node"  # direct assets or child nodes changed


class TreeChange(SavedRow):
    """A row that a write changed. In-memory indexes of "who may reach what" reload these rows from the database."""

    org_id = models.UUIDField()
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=8, choices=TreeChangeKind.choices)
    object_id = models.UUIDField()

    class Meta:
        indexes = [models.Index(fields=("org_id", "seq"), name="assets_treechange_by_seq")]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind} {self.object_id}"
