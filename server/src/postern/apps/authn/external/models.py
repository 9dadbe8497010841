"""Tables of accounts at external providers, and of visits."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.users.models import User
from postern.foundation.models import PosternModel
from postern.kernel import clock


class Provider(models.TextChoices):
    """Kinds of providers that identify people. The values are parts of addresses and of setting names."""

    WECOM = "wecom", _("WeCom")
    DINGTALK = "dingtalk", _("DingTalk")
    FEISHU = "feishu", _("FeiShu")


class Purpose(models.TextChoices):
    """The purpose of a visit. The answer to a visit is refused for other purposes."""

    SIGN_IN = "sign_in", _("Sign in")
    BIND = "bind", _("Bind")
    CONFIRM = "confirm", _("Confirm")


class ExternalAccount(PosternModel):
    """An account at a provider that signs its user in.

    `tenant` and `subject` identify it, never a mail address or a phone number. `name`: the display name of the person
    at the time of binding.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="external_accounts", verbose_name=_("User"))
    provider = models.CharField(max_length=16, choices=Provider.choices)
    tenant = models.CharField(max_length=128)
    subject = models.CharField(max_length=256)
    name = models.CharField(max_length=128, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    date_last_used = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = _("Third-party account")
        ordering = ("provider",)
        constraints = [
            models.UniqueConstraint(fields=("provider", "tenant", "subject"), name="authn_external_subject_unique"),
            models.UniqueConstraint(fields=("user", "provider"), name="authn_external_user_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} account of {self.user_id}"


class ExternalRequest(PosternModel):
    """A visit to a provider: for one browser, one purpose and, when it binds or confirms, one sign-in of a user.

    `provider`: the kind of the provider (`wecom`, `openid`). Only hashes of the state and of the browser's
    cookie are stored. A visit is redeemed once, when the browser returns (`date_redeemed`), and used once
    (`date_finished`). In between the row has the person, or the reason of a refusal (`refusal`: a stored sentence).
    """

    provider = models.CharField(max_length=16)
    #: Id of the provider, for kinds with several providers.
    way_id = models.UUIDField(null=True, editable=False)
    purpose = models.CharField(max_length=8, choices=Purpose.choices)
    state_hash = models.CharField(max_length=64, unique=True)
    browser_hash = models.CharField(max_length=64)
    login_session = models.ForeignKey(LoginSession, on_delete=models.CASCADE, null=True, related_name="+")
    target = models.CharField(max_length=2048, blank=True, default="")
    remote_addr = models.CharField(max_length=64, blank=True, default="")
    tenant = models.CharField(max_length=255, blank=True, default="")
    subject = models.CharField(max_length=256, blank=True, default="")
    name = models.CharField(max_length=128, blank=True, default="")
    #: Further data of the provider, for the use of the visit.
    details = models.JSONField(default=dict)
    refusal = models.JSONField(null=True)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()
    date_redeemed = models.DateTimeField(null=True)
    date_finished = models.DateTimeField(null=True)
    #: Time at which the person signed out at the provider during the visit.
    date_signed_out = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Third-party sign-in under way")
        ordering = ("-date_created",)
        indexes = [
            models.Index(fields=("remote_addr", "-date_created"), name="authn_external_address"),
            models.Index(fields=("date_expired",), name="authn_external_expired"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} request {self.id}"
