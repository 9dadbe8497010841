"""Reachable assets: of the caller (`perms/users/…`, all organizations), and, for administrators, of a user
(`perms/users/{id}/…`) or a group (`perms/user-groups/{id}/…`) of their organization.

Each list exists in these three forms. They are written out, so that the URL map matches the contract.
"""

from postern.apps.perms.granted.api.asset_forms import Mine, OfGroup, OfUser
from postern.apps.perms.granted.api.lists import ReachableAssets, ReachableAssetsTree, ReachableNodeAssets
from postern.apps.perms.granted.api.system_users import MySystemUsersView, UsableSystemUsers
from postern.apps.perms.granted.api.trees import MyUngroupedTree, ReachableNodes

__all__ = ["MySystemUsersView", "MyUngroupedTree"]


class MyAssets(Mine, ReachableAssets):
    pass


class MyAssetsTree(Mine, ReachableAssetsTree):
    pass


class MyNodeAssets(Mine, ReachableNodeAssets):
    pass


class MyNodes(Mine, ReachableNodes):
    pass


class MySystemUsers(Mine, UsableSystemUsers):
    pass


class UserAssets(OfUser, ReachableAssets):
    pass


class UserAssetsTree(OfUser, ReachableAssetsTree):
    pass


class UserNodeAssets(OfUser, ReachableNodeAssets):
    pass


class UserNodes(OfUser, ReachableNodes):
    pass


class UserSystemUsers(OfUser, UsableSystemUsers):
    pass


class GroupAssets(OfGroup, ReachableAssets):
    pass


class GroupNodeAssets(OfGroup, ReachableNodeAssets):
    pass


class GroupNodes(OfGroup, ReachableNodes):
    pass


class GroupSystemUsers(OfGroup, UsableSystemUsers):
    pass
