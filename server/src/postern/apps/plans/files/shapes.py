"""The shape of the file, declared once: the reader, the schema, the comparison and the export follow it.

Fields have the names and the limits of the API. `VERSION` grows when a file of the old shape would mean something else.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from postern.apps.acls.models import FilterAction, RuleAction, RuleType
from postern.apps.applications.facade import ApplicationType
from postern.contracts.enums import Actions

VERSION: Final = 1


class Holds(StrEnum):
    """What a field holds."""

    NAME = "name"  # one line
    TEXT = "text"  # several lines
    SWITCH = "switch"
    NUMBER = "number"
    INSTANT = "instant"
    CHOICE = "choice"
    CHOICES = "choices"
    NAMES = "names"  # of other objects
    RULES = "rules"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an entry. `longest`: characters of a text. `refers`: the kind of object that the names belong to."""

    name: str
    holds: Holds
    about: str
    is_required: bool = False
    longest: int = 0
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    refers: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A list of the file. The first field names an entry."""

    name: str
    about: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)


#: The single actions, in the order of the API; `all` includes all of them but `forward`.
ACTIONS: Final[dict[str, Actions]] = {
    "connect": Actions.CONNECT,
    "upload_file": Actions.UPLOAD_FILE,
    "download_file": Actions.DOWNLOAD_FILE,
    "clipboard_copy": Actions.CLIPBOARD_COPY,
    "clipboard_paste": Actions.CLIPBOARD_PASTE,
    "forward": Actions.FORWARD,
}
ALL_ACTIONS: Final = "all"

_COMMENT: Final = Field("comment", Holds.TEXT, "Free text.", longest=4096)
_ACTIVE: Final = Field("is_active", Holds.SWITCH, "Whether it counts; true unless the file says otherwise.")


def _name(longest: int) -> Field:
    return Field("name", Holds.NAME, "Unique in its list.", is_required=True, longest=longest)


def _names(name: str, about: str, refers: str = "") -> Field:
    return Field(name, Holds.NAMES, about, longest=4096, refers=refers or name)


_DATES: Final = (
    Field("date_start", Holds.INSTANT, "From when on it counts, with its time zone: 2026-05-01T08:00:00+02:00."),
    Field("date_expired", Holds.INSTANT, "Until when it counts, with its time zone; later than date_start."),
)
_WHO: Final = (
    _names("users", "People, by username. They must be members of the organization."),
    _names("user_groups", "User groups, by name."),
)
_SYSTEM_USERS: Final = _names("system_users", "System users, by name.")

NODES: Final = Kind(
    "nodes",
    "Nodes of the asset tree, as paths from its root: /Default/Web. The parent of a node must exist or be in the list.",
    (Field("path", Holds.NAME, "Path from the root.", is_required=True, longest=4096),),
)
USER_GROUPS: Final = Kind(
    "user_groups",
    "User groups.",
    (_name(128), _names("users", "Members, by username. They must be members of the organization."), _COMMENT),
)
ASSET_PERMISSIONS: Final = Kind(
    "asset_permissions",
    "Who may reach which assets, as whom.",
    (
        _name(128),
        *_WHO,
        _names("assets", "Assets, by hostname."),
        _names("nodes", "Nodes, by path; they stand for all assets below."),
        _SYSTEM_USERS,
        Field(
            "actions", Holds.CHOICES, "What people may do there; all unless the file says otherwise.",
            choices=(ALL_ACTIONS, *ACTIONS),
        ),
        _ACTIVE,
        *_DATES,
        _COMMENT,
    ),
)  # fmt: skip
APPLICATION_PERMISSIONS: Final = Kind(
    "application_permissions",
    "Who may reach which applications, as whom.",
    (
        _name(128),
        Field(
            "type", Holds.CHOICE, "The type of its applications. It cannot be changed later.",
            choices=tuple(ApplicationType.values),
        ),
        *_WHO,
        _names("applications", "Applications, by name."),
        _SYSTEM_USERS,
        _ACTIVE,
        *_DATES,
        _COMMENT,
    ),
)  # fmt: skip
RULES: Final = Kind(
    "rules",
    "Rules of a command filter.",
    (
        Field("content", Holds.TEXT, "A command, or a regular expression, in each line.", is_required=True, longest=4096),
        Field("type", Holds.CHOICE, "What the content holds; command by default.", choices=tuple(RuleType.values)),
        Field("priority", Holds.NUMBER, "The higher number decides first; 50 by default.", least=1, most=100),
        Field(
            "action", Holds.CHOICE, "What happens with a command that the rule matches; deny by default.",
            choices=tuple(action.name.lower() for action in RuleAction),
        ),
        _names("reviewers", "Who confirms, by username; only for the action confirm.", "users"),
        _COMMENT,
    ),
)  # fmt: skip
COMMAND_FILTERS: Final = Kind(
    "command_filters",
    "Command filters. The list of rules is the whole list.",
    (
        _name(64),
        Field(
            "unresolved", Holds.CHOICE, "What happens with lines of which nobody can say what they run.",
            choices=tuple(FilterAction.values),
        ),
        _SYSTEM_USERS,
        Field("rules", Holds.RULES, "All rules of the filter."),
        _ACTIVE,
        _COMMENT,
    ),
)  # fmt: skip

#: In the order in which they are created, which is also the order of the export.
KINDS: Final = (NODES, USER_GROUPS, ASSET_PERMISSIONS, APPLICATION_PERMISSIONS, COMMAND_FILTERS)
#: What a rule has when the file does not say it.
RULE_DEFAULTS: Final = {"type": "command", "priority": 50, "action": "deny", "reviewers": (), "comment": ""}
