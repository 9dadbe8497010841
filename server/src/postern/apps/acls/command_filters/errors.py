"""Errors of command filters."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class RuleRefused(PosternError):
    """A value of a filter or a rule that cannot be used; the response is a field error."""

    code = "invalid"

    def __init__(self, field: str, *messages: str) -> None:
        super().__init__(messages[0])
        self.field = field
        self.messages = messages

    @property
    def fields(self) -> dict[str, list[str]]:
        return {self.field: list(self.messages)}


class TooManyRules(RuleRefused):
    """The filter has as many rules as it may have."""

    def __init__(self, most: int) -> None:
        message = _("A filter holds at most %(number)d rules. Put several commands into one rule, one in each line.")
        super().__init__("content", message % {"number": most})


class TooMuchContent(RuleRefused):
    """All rules that apply to one system user are longer than a session can take."""

    def __init__(self, field: str, system_user: str, most: int) -> None:
        message = _(
            "All active filters of the system user %(name)s together hold more than %(number)d characters. Shorten their "
            "rules, or remove a filter from this system user."
        )
        super().__init__(field, message % {"name": system_user, "number": most})


class ExpressionsTooLarge(RuleRefused):
    """The expressions that apply to one system user need too much memory together."""

    def __init__(self, field: str, system_user: str) -> None:
        message = _(
            "The regular expressions in all active filters of the system user %(name)s together need too much memory. Use "
            "smaller repetitions such as {1,20}, or fewer expressions."
        )
        super().__init__(field, message % {"name": system_user})
