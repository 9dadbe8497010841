"""Tables of command filters and of their rules."""

from typing import Any, Final

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import OrgOwnedModel, PlainModel, ScopedManager


class FilterAction(models.TextChoices):
    """What happens with a line of which nobody can say what it runs."""

    ALLOW = "allow", _("Allow")
    CONFIRM = "confirm", _("Confirm")
    DENY = "deny", _("Deny")


class RuleAction(models.IntegerChoices):
    """What happens with a command that a rule matches. The numbers are those of the contract."""

    DENY = 0, _("Deny")
    ALLOW = 1, _("Allow")
    CONFIRM = 2, _("Confirm")


class RuleType(models.TextChoices):
    COMMAND = "command", _("Command")
    REGEX = "regex", _("Regular expression")


#: Of rules with the same priority, the rule with the lowest rank decides.
RANKS: Final = {RuleAction.DENY: 0, RuleAction.CONFIRM: 1, RuleAction.ALLOW: 2}


class CommandFilter(PlainModel):
    """Rules about commands, and the system users whose sessions they apply to."""

    name = models.CharField(_("Name"), max_length=64)
    is_active = models.BooleanField(_("Active"), default=True)
    unresolved = models.CharField(
        _("Unresolved lines"),
        max_length=8,
        choices=FilterAction.choices,
        default=FilterAction.ALLOW,
        help_text=_(
            "What happens with a line of which nobody can say what it runs, for example code that is downloaded and "
            "passed to a shell."
        ),
    )
    system_users = models.ManyToManyField(
        "vault.SystemUser", blank=True, related_name="cmd_filters", verbose_name=_("System users")
    )

    objects = ScopedManager()

    class Meta:
        ordering = ("name",)
        verbose_name = _("Command filter")
        verbose_name_plural = _("Command filters")
        constraints = [
            models.UniqueConstraint(fields=("org_id", "name"), name="acls_commandfilter_unique"),
            models.CheckConstraint(
                condition=models.Q(unresolved__in=FilterAction.values), name="acls_commandfilter_unresolved_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class CommandFilterRule(OrgOwnedModel):
    """One rule of a filter. `content` holds one command, or one regular expression, in each line."""

    filter = models.ForeignKey(
        CommandFilter, models.CASCADE, related_name="rules", verbose_name=_("Command filter"), editable=False
    )
    type = models.CharField(_("Type"), max_length=8, choices=RuleType.choices, default=RuleType.COMMAND)
    content = models.TextField(
        _("Content"),
        max_length=4_096,
        help_text=_("One command, or one regular expression (RE2 syntax), in each line."),
    )
    priority = models.PositiveSmallIntegerField(
        _("Priority"),
        default=50,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("1-100, the higher number decides first"),
    )
    action = models.PositiveSmallIntegerField(_("Action"), choices=RuleAction.choices, default=RuleAction.DENY)
    #: Follows from `action` (`RANKS`), so that an index has the order in which rules decide.
    rank = models.PositiveSmallIntegerField(default=0, editable=False)
    reviewers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="+", verbose_name=_("Reviewers")
    )

    objects = ScopedManager()

    class Meta:
        ordering = ("-priority", "rank", "date_created", "id")
        verbose_name = _("Command filter rule")
        verbose_name_plural = _("Command filter rules")
        constraints = [
            models.CheckConstraint(condition=models.Q(priority__gte=1, priority__lte=100), name="acls_rule_priority"),
            models.CheckConstraint(condition=models.Q(action__in=RuleAction.values), name="acls_rule_action_known"),
            models.CheckConstraint(condition=models.Q(type__in=RuleType.values), name="acls_rule_type_known"),
        ]
        indexes = [models.Index(fields=("filter", "-priority", "rank", "date_created", "id"), name="acls_rule_order")]

    def __str__(self) -> str:
        first, *others = [line for line in self.content.splitlines() if line.strip()] or [""]
        return f"{first.strip()[:64]} …" if others or len(first.strip()) > 64 else first.strip()

    def save(self, **kwargs: Any) -> None:
        self.rank = RANKS[RuleAction(self.action)]
        super().save(**kwargs)
