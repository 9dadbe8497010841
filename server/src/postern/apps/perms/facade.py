"""Public interface of permissions: the decisions, their explanation, the reachable assets, the check of their index, what
a write does to access, and the writes of permissions.
"""

from postern.apps.perms.application_grants.links import LINKS as APPLICATION_LINKS
from postern.apps.perms.application_permissions.actions import create_permissions as create_application_permissions
from postern.apps.perms.application_permissions.actions import delete_permission as delete_application_permission
from postern.apps.perms.application_permissions.actions import update_permission as update_application_permission
from postern.apps.perms.application_permissions.filters import open_permissions as open_application_permissions
from postern.apps.perms.application_permissions.holding import hold as hold_application_permissions
from postern.apps.perms.decisions.deciding import decide, decide_application, decide_many
from postern.apps.perms.decisions.decision import Decision, Named, Reason, ReasonCode, Verdict, Via
from postern.apps.perms.decisions.many import Request
from postern.apps.perms.granted.targets import ResolvedTarget, TargetAnswer, reachable_assets, resolve_target
from postern.apps.perms.granted.verifying import IndexReport, verify_index
from postern.apps.perms.granting.links import Link
from postern.apps.perms.grants.links import LINKS
from postern.apps.perms.history.upkeep import differences as history_differences
from postern.apps.perms.last_uses.actions import note_use
from postern.apps.perms.permissions.actions import create_permissions, delete_permission, update_permission
from postern.apps.perms.permissions.holding import hold as hold_permissions
from postern.apps.perms.previews.difference import Case, Difference
from postern.apps.perms.previews.trial import AccessTrial, Measured
from postern.apps.perms.reviews.findings import FindingCounts, count_findings

__all__ = [
    "APPLICATION_LINKS",
    "LINKS",
    "AccessTrial",
    "Case",
    "Decision",
    "Difference",
    "FindingCounts",
    "IndexReport",
    "Link",
    "Measured",
    "Named",
    "Reason",
    "ReasonCode",
    "Request",
    "ResolvedTarget",
    "TargetAnswer",
    "Verdict",
    "Via",
    "count_findings",
    "create_application_permissions",
    "create_permissions",
    "decide",
    "decide_application",
    "decide_many",
    "delete_application_permission",
    "delete_permission",
    "history_differences",
    "hold_application_permissions",
    "hold_permissions",
    "note_use",
    "open_application_permissions",
    "reachable_assets",
    "resolve_target",
    "update_application_permission",
    "update_permission",
    "verify_index",
]
