"""The audit kinds that many resources and lists have, and that the code never names.

To add a resource, add one line to `RESOURCES`. To add a list that is only exported, add one line to `LISTS`.
"""

from typing import Final, NamedTuple

from postern.apps.audits.categories import Category

_C = Category


class Kinds(NamedTuple):
    """The four kinds that every resource has: `site` makes site.created, site.updated, site.deleted and site.exported."""

    code: str
    category: Category
    english: str
    english_plural: str
    chinese: str

    def members(self) -> dict[str, tuple[str, Category, str, str]]:
        """Name in `Event` → code, category, English words, Chinese words."""
        words = {
            "created": (self.category, f"{self.english} created", f"创建{self.chinese}"),
            "updated": (self.category, f"{self.english} changed", f"更新{self.chinese}"),
            "deleted": (self.category, f"{self.english} deleted", f"删除{self.chinese}"),
            "exported": (Category.EXPORTS, f"{self.english_plural} exported", f"导出{self.chinese}"),
        }
        return {f"{self.code}_{verb}".upper(): (f"{self.code}.{verb}", *rest) for verb, rest in words.items()}


#: One line for each resource whose kinds have the usual words and are never named in the code.
RESOURCES: Final = (
    Kinds("domain", _C.INVENTORY, "Domain", "Domains", "网域"),
    Kinds("samlprovider", _C.SETTINGS, "SAML provider", "SAML providers", "SAML 登录源"),
    Kinds("gateway", _C.CREDENTIALS, "Gateway", "Gateways", "网关"),
    Kinds("account", _C.CREDENTIALS, "Account", "Accounts", "账号"),
    Kinds("assetpermission", _C.PERMISSIONS, "Asset permission", "Asset permissions", "资产授权"),
    Kinds("applicationpermission", _C.PERMISSIONS, "Application permission", "Application permissions", "应用授权"),
    Kinds("usergroup", _C.PEOPLE, "User group", "User groups", "用户组"),
    Kinds("applicationaccount", _C.CREDENTIALS, "Application account", "Application accounts", "应用账号"),
    Kinds("application", _C.INVENTORY, "Application", "Applications", "应用"),
    Kinds("commandfilter", _C.PERMISSIONS, "Command filter", "Command filters", "命令过滤器"),
    Kinds("commandfilterrule", _C.PERMISSIONS, "Rule of a command filter", "Rules of command filters", "命令过滤规则"),
    Kinds("commandsnippet", _C.JOBS, "Saved command", "Saved commands", "常用命令"),
    Kinds("hosttask", _C.JOBS, "Task", "Tasks", "任务"),
    Kinds("label", _C.INVENTORY, "Label", "Labels", "标签"),
    Kinds("loginacl", _C.PERMISSIONS, "Login ACL", "Login ACLs", "登录规则"),
    Kinds("node", _C.INVENTORY, "Node", "Nodes", "节点"),
    Kinds("organization", _C.PERMISSIONS, "Organization", "Organizations", "组织"),
    Kinds("platform", _C.INVENTORY, "Platform", "Platforms", "系统平台"),
    Kinds("replaystorage", _C.SETTINGS, "Replay storage", "Replay storages", "录像存储"),
    Kinds("commandstorage", _C.SETTINGS, "Command storage", "Command storages", "命令存储"),
    Kinds("webhook", _C.MESSAGES, "Webhook", "Webhooks", "Webhook"),
    Kinds("systemuser", _C.CREDENTIALS, "System user", "System users", "系统用户"),
    Kinds("openidprovider", _C.SETTINGS, "OpenID provider", "OpenID providers", "OpenID 登录源"),
)


class Exported(NamedTuple):
    """The one kind of a list that is exported: `command` makes command.exported."""

    code: str
    english: str
    chinese: str

    def members(self) -> dict[str, tuple[str, Category, str, str]]:
        """Name in `Event` → code, category, English words, Chinese words."""
        member = (f"{self.code}.exported", Category.EXPORTS, f"{self.english} exported", f"导出{self.chinese}")
        return {f"{self.code}_exported".upper(): member}


#: One line for each list whose other kinds, if any, have words of their own.
LISTS: Final = (
    Exported("accessplan", "Access plan", "授权方案"),
    Exported("accesskey", "Access keys", "访问密钥列表"),
    Exported("accountsecret", "Secrets of accounts", "账号凭据"),
    Exported("applicationaccountsecret", "Secrets of application accounts", "应用账号凭据"),
    Exported("applicationpermissionapplication", "Applications of permissions", "应用授权的应用"),
    Exported("applicationpermissionsystemuser", "System users of application permissions", "应用授权的系统用户"),
    Exported("applicationpermissionuser", "Users of application permissions", "应用授权的用户"),
    Exported("applicationpermissionusergroup", "User groups of application permissions", "应用授权的用户组"),
    Exported("asset", "Assets", "资产"),
    Exported("auditevent", "Audit events", "审计事件"),
    Exported("batchcommand", "Batch commands", "批量命令记录"),
    Exported("command", "Commands", "命令记录"),
    Exported("execution", "Executions", "执行历史"),
    Exported("favoriteasset", "Favourites", "收藏"),
    Exported("filetransfer", "File log", "文件日志"),
    Exported("forwardedconnection", "Forwarded connections", "转发的连接"),
    Exported("hostkey", "Host keys", "主机密钥列表"),
    Exported("hostoutcome", "Results of hosts", "主机结果"),
    Exported("loginlog", "Sign-in log", "登录日志"),
    Exported("loginsession", "Sign-ins", "登录会话"),
    Exported("membership", "Memberships", "组织成员"),
    Exported("passwordchangelog", "Password log", "改密日志"),
    Exported("permissionasset", "Assets of permissions", "授权的资产"),
    Exported("permissionnode", "Nodes of permissions", "授权的节点"),
    Exported("permissionsystemuser", "System users of permissions", "授权的系统用户"),
    Exported("permissionuser", "Users of permissions", "授权的用户"),
    Exported("permissionusergroup", "User groups of permissions", "授权的用户组"),
    Exported("sessionhold", "Holds of sessions", "会话保留"),
    Exported("proxyorder", "Terminal tasks", "终端任务"),
    Exported("session", "Sessions", "会话记录"),
    Exported("sitemessagereceipt", "Messages", "站内信"),
    Exported("systemuserasset", "Assets of system users", "系统用户的资产"),
    Exported("systemusernode", "Nodes of system users", "系统用户的节点"),
    Exported("systemuseruser", "Users of system users", "系统用户的用户"),
    Exported("terminal", "Terminals", "终端列表"),
    Exported("user", "Users", "用户"),
    Exported("usergroupmember", "Members of user groups", "用户组成员"),
)
