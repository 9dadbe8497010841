"""Tables of site messages: content, deliveries, and subscriptions."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import UserGroup
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock


class SiteMessage(PosternModel):
    """Content of a message. `message` is HTML that was sanitised before it was stored.

    `addressed_to` lists the chosen users and groups as text; it is empty for a broadcast. `occasion` identifies system
    messages about the same event.
    """

    subject = models.CharField(_("Subject"), max_length=256)
    message = models.TextField(_("Message"))
    message_type = models.CharField(_("Message type"), max_length=64)
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    sender_display = models.CharField(_("Sender"), max_length=260)
    addressed_to = models.JSONField(_("Receivers"), default=list)
    is_broadcast = models.BooleanField(_("To everybody"), default=False)
    occasion = models.CharField(max_length=256, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), default=clock.now)

    class Meta:
        verbose_name = _("Site message")
        ordering = ("-date_created", "id")
        indexes = [models.Index(fields=("message_type", "date_created"), name="notifications_message_recent")]

    def __str__(self) -> str:
        return self.subject


class ReceiptQuerySet(models.QuerySet["SiteMessageReceipt"]):
    def visible_to(self, actor: Any, scope: Any) -> "ReceiptQuerySet":
        """Users see messages delivered to them, in every organization, and no others."""
        del scope
        return self.of_person(actor.user_id)

    def of_person(self, user_id: UUID | None) -> "ReceiptQuerySet":
        """Messages delivered to one user."""
        return self.filter(user_id=user_id) if user_id else self.none()


class SiteMessageReceipt(PosternModel):
    """Delivery of one message to one user. The API uses this id as the id of the message."""

    message = models.ForeignKey(SiteMessage, models.CASCADE, related_name="receipts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    has_read = models.BooleanField(_("Read"), default=False)
    read_at = models.DateTimeField(_("Date read"), null=True)
    date_delivered = models.DateTimeField(_("Date delivered"), default=clock.now)
    date_updated = models.DateTimeField(_("Date updated"), auto_now=True)

    objects = ReceiptQuerySet.as_manager()

    class Meta:
        verbose_name = _("Site message")
        ordering = ("-date_delivered", "id")
        constraints = [models.UniqueConstraint(fields=("message", "user"), name="notifications_receipt_unique")]
        indexes = [
            models.Index(fields=("user", "-date_delivered"), name="notifications_receipt_newest"),
            models.Index(fields=("user",), condition=models.Q(has_read=False), name="notifications_receipt_unread"),
        ]

    def __str__(self) -> str:
        return f"{self.message_id} for {self.user_id}"


class ReceiverBatch(PosternModel):
    """Users whom a message to many has not reached yet: see `receivers`. `backends`: the methods, by their names."""

    message = models.ForeignKey(SiteMessage, models.CASCADE, related_name="+")
    user_ids = models.JSONField(default=list)
    backends = models.JSONField(default=list)

    class Meta:
        verbose_name = _("Receivers of a message")

    def __str__(self) -> str:
        return f"{len(self.user_ids)} receivers of {self.message_id}"


class DeliveryState(models.TextChoices):
    """The state of a delivery. It is accepted when the mail server has answered 250 after the data, or the service of a
    company has taken it.
    """

    WAITING = "waiting", _("Waiting")
    ACCEPTED = "accepted", _("Accepted")
    FAILED = "failed", _("Failed")


class DeliveryChannel(models.TextChoices):
    """Ways that lead out of Postern."""

    EMAIL = "email", _("Email")
    WECOM = "wecom", _("WeCom")
    DINGTALK = "dingtalk", _("DingTalk")
    FEISHU = "feishu", _("FeiShu")


class DeliveryQuerySet(models.QuerySet["MessageDelivery"]):
    def visible_to(self, actor: Any, scope: Any) -> "DeliveryQuerySet":
        """Deliveries are of the installation, for super administrators."""
        del scope
        return self if actor.is_super_user else self.none()


class MessageDelivery(PosternModel):
    """Delivery of one message to one user over a channel that may fail.

    A sender claims a waiting row by moving `next_try` ahead and counting the try, so a row is nobody's again when its
    sender was killed. `give_up_at`: the instant after which a failed try is the last try. `reason`: a stored phrase
    about the last try.
    """

    message = models.ForeignKey(SiteMessage, models.CASCADE, related_name="deliveries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    channel = models.CharField(_("Channel"), max_length=16, choices=DeliveryChannel)
    state = models.CharField(_("State"), max_length=16, choices=DeliveryState, default=DeliveryState.WAITING)
    #: Where the last try went: a mail address, or the person's name at a service.
    address = models.CharField(_("Address"), max_length=254, blank=True, default="")
    #: The Message-ID of all tries of a mail: a receiver drops a second copy.
    mail_id = models.CharField(max_length=320)
    tries = models.PositiveIntegerField(_("Tries"), default=0)
    next_try = models.DateTimeField(_("Next try"), default=clock.now)
    give_up_at = models.DateTimeField(_("Tried until"))
    reason = models.JSONField(_("Reason"), null=True)
    date_created = models.DateTimeField(_("Date created"), default=clock.now)
    date_accepted = models.DateTimeField(_("Date accepted"), null=True)
    date_updated = models.DateTimeField(_("Date updated"), auto_now=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name = _("Delivery")
        ordering = ("-date_created", "id")
        constraints = [
            models.UniqueConstraint(fields=("message", "user", "channel"), name="notifications_delivery_unique")
        ]
        indexes = [
            models.Index(fields=("next_try",), condition=models.Q(state="waiting"), name="notifications_delivery_due"),
            models.Index(fields=("-date_created", "id"), name="notifications_delivery_newest"),
            models.Index(fields=("state", "-date_created", "id"), name="notifications_delivery_state"),
        ]

    def __str__(self) -> str:
        return f"{self.mail_id} for {self.user_id}"


class SystemMessageSubscription(SavedRow):
    """Receivers and delivery methods of one kind of system message.

    Without a row: site messages to super administrators.
    """

    message_type = models.CharField(max_length=64, primary_key=True)
    users: "models.ManyToManyField[Any, Any]" = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    groups: "models.ManyToManyField[UserGroup, Any]" = models.ManyToManyField(UserGroup, related_name="+")
    receive_backends = models.JSONField(default=list)
    date_updated = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("Subscription of system messages")

    def __str__(self) -> str:
        return self.message_type


class WarningKind(models.TextChoices):
    """What ends soon."""

    PASSWORD = "password", _("Password")
    ACCOUNT = "account", _("Account")
    ACCESS_KEY = "access_key", _("Access key")


class ExpiryWarning(PosternModel):
    """One warning of one day to one user. `day`: the date in the time zone of the installation."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=WarningKind)
    day = models.DateField()
    date_created = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name = _("Expiry warning")
        constraints = [
            models.UniqueConstraint(fields=("user", "kind", "day"), name="notifications_expiry_warning_unique")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.user_id} on {self.day}"


class WebMachine(SavedRow):
    """The last load of a machine that runs only web processes: see `web_machines`. Units as in `MachineLoad`."""

    name = models.CharField(max_length=253, primary_key=True)
    cpu_load = models.FloatField()
    memory_used = models.FloatField()
    disk_used = models.FloatField()
    date_reported = models.DateTimeField()

    class Meta:
        verbose_name = _("Machine of web processes")

    def __str__(self) -> str:
        return self.name


class ComponentState(SavedRow):
    """The state of a part of Postern, and the last message about it: see `component_standing.Standing`."""

    key = models.CharField(max_length=300, primary_key=True)
    level = models.CharField(max_length=16)
    since = models.DateTimeField()
    better_since = models.DateTimeField(null=True)
    told = models.CharField(max_length=16)
    told_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("State of a component")

    def __str__(self) -> str:
        return f"{self.key}: {self.level}"
