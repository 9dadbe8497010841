"""Every kind of event in the audit log: its code, its category and its words, in one place.

To add a kind, add one line to `Event`; writers then pass `event=audits.Event.YOUR_KIND`. The usual kinds of resources
and lists are in `usual_kinds`. The list, its filters and the screen read this catalogue, so nothing else is needed.
Codes are stored permanently: never change or reuse one. Keep a kind that no longer has a writer, because old rows still
refer to it.
"""

from postern.apps.audits.categories import Category
from postern.apps.audits.kind import Kind
from postern.apps.audits.usual_kinds import LISTS, RESOURCES

_C = Category


class Event(Kind):
    """A kind of event: code, category, English words, Chinese words."""

    # Permissions, roles and organizations
    ASSETPERMISSION_LINK_ADDED = "assetpermission.link_added", _C.PERMISSIONS, "Added to a permission", "加入资产授权"
    ASSETPERMISSION_LINK_REMOVED = (
        "assetpermission.link_removed",
        _C.PERMISSIONS,
        "Removed from a permission",
        "移出资产授权",
    )
    APP_LINK_ADDED = "applicationpermission.link_added", _C.PERMISSIONS, "Added to an application grant", "加入应用授权"
    APP_LINK_REMOVED = (
        "applicationpermission.link_removed",
        _C.PERMISSIONS,
        "Removed from an application grant",
        "移出应用授权",
    )
    PLAN_APPLIED = "plan.applied", _C.PERMISSIONS, "Access plan applied", "执行授权方案"
    MEMBERSHIP_CHANGED = "membership.changed", _C.PERMISSIONS, "Role in the organization changed", "变更组织角色"
    INVITATION_SENT = "invitation.sent", _C.PERMISSIONS, "Invited into the organization", "邀请加入组织"
    INVITATION_ACCEPTED = "invitation.accepted", _C.PERMISSIONS, "Invitation accepted", "接受组织邀请"
    INVITATION_DECLINED = "invitation.declined", _C.PERMISSIONS, "Invitation declined", "拒绝组织邀请"
    INVITATION_WITHDRAWN = "invitation.withdrawn", _C.PERMISSIONS, "Invitation withdrawn", "撤回组织邀请"

    # Credentials of targets and of users
    CREDENTIAL_RELEASED = "credential.released", _C.CREDENTIALS, "Credential released", "发放凭据"
    GATEWAY_CREDENTIAL_RELEASED = (
        "gateway.credential_released",
        _C.CREDENTIALS,
        "Credential of a gateway released",
        "发放网关凭据",
    )
    ENTERED_CREDENTIAL_KEPT = (
        "entered_credential.kept",
        _C.CREDENTIALS,
        "Credential entered for a session",
        "为会话输入凭据",
    )
    ENTERED_CREDENTIAL_FORGOTTEN = (
        "entered_credential.forgotten",
        _C.CREDENTIALS,
        "Credential entered for a session deleted",
        "删除为会话输入的凭据",
    )
    ENTERED_CREDENTIAL_REFUSED = (
        "entered_credential.refused",
        _C.REFUSALS,
        "Credential for a session refused",
        "拒绝为会话输入凭据",
    )
    CREDENTIAL_REFUSED = "credential.refused", _C.REFUSALS, "Credential refused", "拒绝发放凭据"
    SYSTEMUSER_SECRETS_CLEARED = "systemuser.secrets_cleared", _C.CREDENTIALS, "Secrets cleared", "清除系统用户凭据"
    SYSTEMUSER_SECRETS_VIEWED = (
        "systemuser.secrets_viewed",
        _C.CREDENTIALS,
        "Secrets of a system user viewed",
        "查看系统用户凭据",
    )
    SYSTEMUSER_BOUND = "systemuser.bound", _C.CREDENTIALS, "System user bound", "绑定系统用户"
    SYSTEMUSER_UNBOUND = "systemuser.unbound", _C.CREDENTIALS, "System user unbound", "解绑系统用户"
    SYSTEMUSER_ACCOUNTS_ADDED = (
        "systemuser.accounts_added",
        _C.CREDENTIALS,
        "Accounts added because of a node",
        "因节点新增账号",
    )
    SYSTEMUSER_ACCOUNTS_REMOVED = (
        "systemuser.accounts_removed",
        _C.CREDENTIALS,
        "Accounts removed because of a node",
        "因节点移除账号",
    )
    ACCOUNT_SECRET_REMOVED = "account.secret_removed", _C.CREDENTIALS, "Own secret removed", "移除账号自有凭据"
    ACCOUNT_SECRET_RESTORED = (
        "account.secret_restored",
        _C.CREDENTIALS,
        "Earlier secret of an account restored",
        "恢复账号的历史凭据",
    )
    ACCOUNTSECRET_VIEWED = "accountsecret.viewed", _C.CREDENTIALS, "Secret of an account viewed", "查看账号凭据"
    APP_SECRET_VIEWED = "applicationaccountsecret.viewed", _C.CREDENTIALS, "Application secret viewed", "查看应用凭据"
    VAULT_KEY_ADDED = "vault.key_added", _C.CREDENTIALS, "Encryption key added", "新增加密密钥"
    VAULT_SECRETS_REWRAPPED = (
        "vault.secrets_rewrapped",
        _C.CREDENTIALS,
        "Secrets sealed with the new key",
        "凭据改用新密钥加密",
    )
    VAULT_SECRETS_MOVED = (
        "vault.secrets_moved",
        _C.CREDENTIALS,
        "Secrets moved to another store",
        "凭据迁移到其他密钥存储",
    )
    VAULT_LEFTOVERS_REMOVED = (
        "vault.leftovers_removed",
        _C.CREDENTIALS,
        "Unused copies of secrets removed",
        "清除不再使用的凭据副本",
    )
    VAULT_KEYS_RETIRED = "vault.keys_retired", _C.CREDENTIALS, "Encryption keys retired", "停用加密密钥"
    ACCESSKEY_CREATED = "accesskey.created", _C.CREDENTIALS, "Access key created", "创建访问密钥"
    ACCESSKEY_UPDATED = "accesskey.updated", _C.CREDENTIALS, "Access key changed", "修改访问密钥"
    ACCESSKEY_DELETED = "accesskey.deleted", _C.CREDENTIALS, "Access key deleted", "删除访问密钥"
    BEARER_TOKEN_ISSUED = "bearer_token.issued", _C.CREDENTIALS, "API token issued", "签发 API 令牌"
    BEARER_TOKEN_REVOKED = "bearer_token.revoked", _C.CREDENTIALS, "API token revoked", "撤销 API 令牌"
    USER_SET_PASSWORD_LINK_ISSUED = (
        "user.set_password_link_issued",
        _C.CREDENTIALS,
        "Link to set a password issued",
        "签发设置密码链接",
    )
    USER_SET_PASSWORD_LINK_REFUSED = (
        "user.set_password_link_refused",
        _C.REFUSALS,
        "Set-password link refused",
        "设置密码链接被拒绝",
    )
    SSO_LINK_ISSUED = "sso_link.issued", _C.CREDENTIALS, "SSO link issued", "签发单点登录链接"
    SSO_LINK_REFUSED = "sso_link.refused", _C.REFUSALS, "SSO link refused", "拒绝签发单点登录链接"
    USER_PASSWORD_FORGOTTEN = (
        "user.password_forgotten",
        _C.CREDENTIALS,
        "Forgotten password: link requested on the sign-in page",
        "忘记密码：在登录页申请链接",
    )
    USER_PASSWORD_FORGOTTEN_REFUSED = (
        "user.password_forgotten_refused",
        _C.REFUSALS,
        "Forgotten password: no link for this account",
        "忘记密码：该账号不发送链接",
    )
    SET_PASSWORD_LINK_MAILED = (
        "user.set_password_link_mailed",
        _C.CREDENTIALS,
        "Link to set a password queued for mail",
        "设置密码链接已加入邮件队列",
    )
    USER_CREDENTIALS_ENDED = (
        "user.credentials_ended",
        _C.CREDENTIALS,
        "Credentials ended with a password change",
        "修改密码时结束凭证",
    )
    USER_ACCESS_RESET = (
        "user.access_reset",
        _C.CREDENTIALS,
        "Suspected account: all access ended",
        "可疑账号：全部访问已结束",
    )
    USER_PUBLIC_KEYS_CHANGED = "user.public_keys_changed", _C.CREDENTIALS, "SSH keys changed", "变更 SSH 公钥"
    USER_PASSWORD_CHANGED = "user.password_changed", _C.CREDENTIALS, "Password changed", "修改密码"
    HOST_KEY_PINNED = "host_key.pinned", _C.CREDENTIALS, "Host key pinned", "记录主机密钥"
    HOST_KEY_REFUSED = "host_key.refused", _C.REFUSALS, "Host key refused", "拒绝主机密钥"
    HOST_KEY_FORGOTTEN = "host_key.forgotten", _C.CREDENTIALS, "Host key forgotten", "清除主机密钥"

    # Who viewed what
    REPLAY_OPENED = "replay.opened", _C.VIEWING, "Replay opened", "查看录像"
    REPLAY_FETCHED = "replay.fetched", _C.VIEWING, "Replay viewing ended", "录像查看结束"
    REPLAY_EXPORTED = "replay.exported", _C.VIEWING, "Replay exported", "导出录像"
    REPLAY_DOWNLOADED = "replay.downloaded", _C.VIEWING, "Replay downloaded", "下载录像"
    REPLAY_VERIFIED = "replay.verified", _C.VIEWING, "Recording verified", "校验录像"
    REPLAY_VERIFICATION_FAILED = (
        "replay.verification_failed",
        _C.REFUSALS,
        "Recording failed verification",
        "录像校验失败",
    )
    COMMANDS_VIEWED = "commands.viewed", _C.VIEWING, "Commands viewed", "查看命令记录"
    RECORDINGS_SEARCHED = "recordings.searched", _C.VIEWING, "Recordings searched", "搜索录像"
    SESSION_WATCH_PERMITTED = "session.watch_permitted", _C.VIEWING, "Live watching permitted", "允许实时监控"
    SESSION_WATCHED = "session.watched", _C.VIEWING, "Live session watched", "实时监控会话"
    SESSION_WATCHING_STOPPED = "session.watching_stopped", _C.VIEWING, "Watching stopped", "停止实时监控"
    SESSION_WATCH_REFUSED = "session.watch_refused", _C.REFUSALS, "Watching refused", "拒绝实时监控"

    # Sign-in
    SIGN_IN_SUCCEEDED = "sign_in.succeeded", _C.SIGN_IN, "Signed in", "登录成功"
    SIGN_IN_FAILED = "sign_in.failed", _C.REFUSALS, "Sign-in failed", "登录失败"
    SIGN_IN_LOCKED = "sign_in.locked", _C.REFUSALS, "Account locked after failed sign-ins", "账号因登录失败被锁定"
    SIGN_IN_ADDRESS_UNLOCKED = "sign_in.address_unlocked", _C.SIGN_IN, "Address unlocked", "地址已解锁"
    SIGN_IN_UNLOCKED = "sign_in.unlocked", _C.SIGN_IN, "Account unlocked", "解除登录锁定"
    PROXY_SIGN_IN_ENDED = "proxy_sign_in.ended", _C.SIGN_IN, "Sign-in through a proxy ended", "经由代理的登录已结束"
    CERTIFICATE_ACCEPTED = "certificate.accepted", _C.SIGN_IN, "Signed in with an SSH certificate", "使用 SSH 证书登录"
    CERTIFICATE_REFUSED = "certificate.refused", _C.REFUSALS, "SSH certificate refused", "SSH 证书被拒绝"
    SSH_CODE_ISSUED = "ssh_code.issued", _C.SIGN_IN, "Code for SSH issued", "签发 SSH 登录码"
    LOGIN_SESSION_ENDED = "login_session.ended", _C.SIGN_IN, "Signed out", "退出登录"
    PASSWORD_VERIFIED = "password.verified", _C.SIGN_IN, "Password confirmed again", "再次验证密码"
    PASSWORD_REFUSED = "password.refused", _C.REFUSALS, "Password refused", "密码验证失败"
    IDENTITY_CONFIRMED = "identity.confirmed", _C.SIGN_IN, "Identity confirmed at the provider", "在登录源确认身份"
    IDENTITY_REFUSED = "identity.refused", _C.REFUSALS, "Confirmation of the identity refused", "身份确认被拒绝"
    MFA_VERIFIED = "mfa.verified", _C.SIGN_IN, "Second factor confirmed", "MFA 验证成功"
    MFA_CODE_REFUSED = "mfa.code_refused", _C.REFUSALS, "Code refused", "MFA 验证码被拒绝"
    MFA_ENROLMENT_BEGUN = "mfa.enrolment_begun", _C.SIGN_IN, "Second factor: enrolment begun", "开始绑定 MFA"
    MFA_ENABLED = "mfa.enabled", _C.SIGN_IN, "Second factor enabled", "启用 MFA"
    MFA_REPLACED = "mfa.replaced", _C.SIGN_IN, "Second factor replaced", "更换 MFA"
    MFA_DISABLED = "mfa.disabled", _C.SIGN_IN, "Second factor disabled", "停用 MFA"
    MFA_RESET = "mfa.reset", _C.SIGN_IN, "Second factor reset", "重置 MFA"
    MFA_RECOVERY_CODES_RENEWED = "mfa.recovery_codes_renewed", _C.SIGN_IN, "Recovery codes renewed", "更换恢复码"
    PASSKEY_ADDED = "passkey.added", _C.SIGN_IN, "Passkey added", "添加通行密钥"
    PASSKEY_RENAMED = "passkey.renamed", _C.SIGN_IN, "Passkey renamed", "重命名通行密钥"
    PASSKEY_REMOVED = "passkey.removed", _C.SIGN_IN, "Passkey removed", "移除通行密钥"
    BROWSER_TRUSTED = "browser.trusted", _C.SIGN_IN, "Browser trusted at the second factor", "信任浏览器(免 MFA)"
    BROWSER_TRUST_USED = (
        "browser.trust_used",
        _C.SIGN_IN,
        "Signed in by a trusted browser, without second factor",
        "通过受信任的浏览器登录(未验证 MFA)",
    )
    BROWSER_TRUST_ENDED = "browser.trust_ended", _C.SIGN_IN, "Trust in a browser ended", "取消信任浏览器"

    EXTERNAL_ACCOUNT_BOUND = "external_account.bound", _C.SIGN_IN, "Third-party account bound", "绑定第三方账号"
    EXTERNAL_ACCOUNT_UNBOUND = "external_account.unbound", _C.SIGN_IN, "Third-party account unbound", "解绑第三方账号"
    EXTERNAL_BINDING_REFUSED = (
        "external_account.refused",
        _C.REFUSALS,
        "Binding a third-party account refused",
        "绑定第三方账号被拒绝",
    )

    # Users
    USER_CREATED = "user.created", _C.PEOPLE, "User created", "创建用户"
    USER_UPDATED = "user.updated", _C.PEOPLE, "User changed", "更新用户"
    USER_PROFILE_UPDATED = "user.profile_updated", _C.PEOPLE, "Own profile changed", "更新个人信息"
    USER_DELETED = "user.deleted", _C.PEOPLE, "User deleted", "删除用户"

    # Assets
    ASSET_CREATED = "asset.created", _C.INVENTORY, "Asset created", "创建资产"
    ASSET_UPDATED = "asset.updated", _C.INVENTORY, "Asset changed", "更新资产"
    ASSET_DELETED = "asset.deleted", _C.INVENTORY, "Asset deleted", "删除资产"
    NODE_TREE_CORRECTED = "node.tree_corrected", _C.INVENTORY, "Node tree corrected", "修正节点树"
    NODE_MOVED = "node.moved", _C.INVENTORY, "Node moved", "移动节点"
    NODE_ASSETS_ADDED = "node.assets_added", _C.INVENTORY, "Assets added to a node", "资产加入节点"
    NODE_ASSETS_REMOVED = "node.assets_removed", _C.INVENTORY, "Assets removed from a node", "资产移出节点"
    NODE_ASSETS_MOVED = "node.assets_moved", _C.INVENTORY, "Assets moved to a node", "资产移动到节点"
    FAVORITEASSET_CREATED = "favoriteasset.created", _C.INVENTORY, "Favourite added", "收藏资产"
    FAVORITEASSET_DELETED = "favoriteasset.deleted", _C.INVENTORY, "Favourite removed", "取消收藏"

    # Sessions
    CONNECTION_TOKEN_CREATED = "connection_token.created", _C.SESSIONS, "Connection token issued", "签发连接令牌"
    CONNECTION_TOKEN_REFUSED = "connection_token.refused", _C.REFUSALS, "Connection token refused", "拒绝签发连接令牌"
    TOKEN_REFUSED = "token.refused", _C.REFUSALS, "Token refused", "令牌被拒绝"
    TICKET_REFUSED = "ticket.refused", _C.REFUSALS, "Ticket refused", "票据被拒绝"
    SESSION_PERMITTED = "session.permitted", _C.SESSIONS, "Session permitted", "允许建立会话"
    SESSION_REFUSED = "session.refused", _C.REFUSALS, "Session refused", "拒绝建立会话"
    SESSION_HOST_KEY_JUDGED = "session.host_key_judged", _C.SESSIONS, "Host key compared", "核对主机密钥"
    SESSION_STARTED = "session.started", _C.SESSIONS, "Session started", "会话开始"
    SESSION_ENDED = "session.ended", _C.SESSIONS, "Session ended", "会话结束"
    SESSION_END_CORRECTED = "session.end_corrected", _C.SESSIONS, "End of a session corrected", "更正会话结束信息"
    SESSION_GRANT_CHANGED = (
        "session.grant_changed",
        _C.SESSIONS,
        "Rights of a live session changed",
        "变更在线会话的权限",
    )
    SESSION_COMMAND_FILTERS_CHANGED = (
        "session.command_filters_changed",
        _C.SESSIONS,
        "Command filters of a live session changed",
        "在线会话的命令过滤器变更",
    )
    SESSION_ACTIONS_ENDED = "session.actions_ended", _C.SESSIONS, "Rights of a live session ended", "在线会话的权限到期"
    SESSION_FOUND_ALIVE = "session.found_alive", _C.SESSIONS, "Session found alive", "会话恢复在线"
    SESSION_TERMINATION_ORDERED = "session.termination_ordered", _C.SESSIONS, "Termination ordered", "下令终止会话"
    SESSION_LOCKED = "session.locked", _C.SESSIONS, "Session locked", "锁定会话"
    SESSION_UNLOCKED = "session.unlocked", _C.SESSIONS, "Session unlocked", "解锁会话"
    SESSION_MESSAGE_SENT = "session.message_sent", _C.SESSIONS, "Message sent to a session", "向会话发送消息"
    SESSION_FILES_TRANSFERRED = "session.files_transferred", _C.SESSIONS, "Files transferred", "传输文件"
    SESSION_CONNECTIONS_FORWARDED = (
        "session.connections_forwarded",
        _C.SESSIONS,
        "Connections forwarded to a host",
        "转发到主机的连接",
    )
    COMMAND_REFUSED = "command.refused", _C.REFUSALS, "Commands refused by a filter", "命令被过滤器拒绝"
    COMMAND_CONFIRMATION_REFUSED = (
        "command.confirmation_refused",
        _C.REFUSALS,
        "Confirmation of a command refused",
        "命令复核未获准",
    )
    SESSION_REQUEST_REFUSED = "session.request_refused", _C.REFUSALS, "Request in a session refused", "拒绝会话中的请求"

    # Evidence: what was retained, and what was deleted after its retention period
    SESSION_SEALED = "session.sealed", _C.EVIDENCE, "Session record sealed", "封存会话记录"
    SESSION_ANCHORED = "session.anchored", _C.EVIDENCE, "Running session anchored", "锚定进行中的会话记录"
    HOLD_PLACED = "hold.placed", _C.EVIDENCE, "Sessions put on hold", "保留会话"
    HOLD_RELEASED = "hold.released", _C.EVIDENCE, "Hold of sessions removed", "解除会话保留"
    HOLD_ENDED = "hold.ended", _C.EVIDENCE, "Hold of sessions ended on its date", "会话保留到期"
    RETENTION_CHANGED = "retention.changed", _C.EVIDENCE, "Retention of an organization changed", "更改组织的保存期限"
    SESSION_FORGOTTEN = "session.forgotten", _C.EVIDENCE, "Old session deleted", "清理过期会话"
    BATCHCOMMAND_FORGOTTEN = "batchcommand.forgotten", _C.EVIDENCE, "Old batch command deleted", "清理过期批量命令"
    EVIDENCE_ADOPTED = "evidence.adopted", _C.EVIDENCE, "Earlier records taken into the chain", "旧记录纳入审计链"
    VERIFICATION_REQUESTED = "verification.requested", _C.EVIDENCE, "Verification requested", "要求校验审计链"
    VERIFICATION_FINISHED = "verification.finished", _C.EVIDENCE, "Verification finished", "审计链校验结束"
    AUDIT_EXPORTED = "audit.exported", _C.EVIDENCE, "Audit bundle exported", "导出审计包"
    AUDIT_KEY_ROTATED = "audit.key_rotated", _C.EVIDENCE, "Signing key of the audit log changed", "更换审计签名密钥"
    RECORDING_CHECKPOINT = "recording.checkpoint", _C.EVIDENCE, "Recording checkpoint", "录像检查点"
    RECORDING_SEALED = "recording.sealed", _C.EVIDENCE, "Recording sealed", "封存录像"
    RECORDING_STORED = "recording.stored", _C.EVIDENCE, "Recording stored", "存储录像"
    RECORDING_MOVED = "recording.moved", _C.EVIDENCE, "Recording moved to another storage", "录像迁移到其他存储"
    RECORDING_COPY_REFUSED = (
        "recording.copy_refused",
        _C.REFUSALS,
        "Copy of a recording differs from it",
        "录像副本与原录像不符",
    )
    RECORDINGS_MOVE_STARTED = (
        "recordings.move_started",
        _C.EVIDENCE,
        "Move of all recordings of a storage started",
        "开始迁移存储中的全部录像",
    )
    RECORDINGS_MOVE_FINISHED = (
        "recordings.move_finished",
        _C.EVIDENCE,
        "Move of all recordings of a storage finished",
        "存储中的全部录像迁移完成",
    )
    RECORDING_LOST = "recording.lost", _C.REFUSALS, "Recording lost", "录像丢失"
    RECORDING_MISMATCH = "recording.mismatch", _C.REFUSALS, "Recording differs from its announcement", "录像与声明不符"
    RECORDING_SECOND_SEAL_IGNORED = (
        "recording.second_seal_ignored",
        _C.REFUSALS,
        "Second seal of a recording ignored",
        "忽略重复的录像封存",
    )
    RECORDING_KEY_ROTATED = "recording.key_rotated", _C.EVIDENCE, "Recording key changed", "更换录像签名密钥"

    # Jobs
    JOB_REQUESTED = "job.requested", _C.JOBS, "Job started", "启动作业"
    JOB_CANCELLED = "job.cancelled", _C.JOBS, "Job cancelled", "取消作业"
    HOSTTASK_NOT_RUN = "hosttask.not_run", _C.JOBS, "Task could not run", "任务无法运行"
    JOB_FINISHED = "job.finished", _C.JOBS, "Job finished", "作业结束"
    BATCHCOMMAND_REQUESTED = "batchcommand.requested", _C.JOBS, "Batch command started", "执行批量命令"
    BATCHCOMMAND_FINISHED = "batchcommand.finished", _C.JOBS, "Batch command finished", "批量命令结束"
    BATCHCOMMAND_REFUSED = (
        "batchcommand.refused",
        _C.REFUSALS,
        "Batch command refused by a filter",
        "批量命令被过滤器拒绝",
    )
    PERIODICTASK_UPDATED = "periodictask.updated", _C.JOBS, "Periodic task switched", "启停周期任务"
    TASKMONITOR_OPENED = "taskmonitor.opened", _C.JOBS, "Task monitor opened", "打开任务监控"

    # Settings, licence, components
    SETTINGS_UPDATED = "settings.updated", _C.SETTINGS, "Settings changed", "更新系统设置"
    MAIL_TESTED = "settings.mail_tested", _C.SETTINGS, "Mail settings tested", "测试邮件设置"
    PROVIDER_TESTED = "settings.provider_tested", _C.SETTINGS, "Sign-in provider tested", "测试第三方登录设置"
    LDAP_TESTED = "settings.ldap_tested", _C.SETTINGS, "LDAP settings tested", "测试 LDAP 设置"
    LDAP_SIGN_IN_TESTED = "settings.ldap_sign_in_tested", _C.SETTINGS, "LDAP sign-in tested", "测试 LDAP 登录"
    DIRECTORY_READING_REQUESTED = (
        "directory.reading_requested",
        _C.SETTINGS,
        "Reading of the directory requested",
        "要求读取目录",
    )
    DIRECTORY_SYNCHRONISED = "directory.synchronised", _C.PEOPLE, "Users synchronised with LDAP", "与 LDAP 同步用户"
    DIRECTORY_IMPORTED = "directory.imported", _C.PEOPLE, "Users imported from LDAP", "从 LDAP 导入用户"
    LICENCE_INSTALLED = "licence.installed", _C.SETTINGS, "Licence installed", "安装许可证"
    LICENCE_REFUSED = "licence.refused", _C.REFUSALS, "Licence refused", "拒绝许可证"
    STORAGE_TESTED = "storage.tested", _C.SETTINGS, "Storage tested", "测试存储"
    TERMINAL_REGISTERED = "terminal.registered", _C.SETTINGS, "Terminal registered", "注册终端"
    TERMINAL_CAME_UP = "terminal.came_up", _C.SETTINGS, "Terminal came up", "终端上线"
    TERMINAL_RESTARTED = "terminal.restarted", _C.SETTINGS, "Terminal restarted", "终端重启"
    TERMINAL_ACCEPTED = "terminal.accepted", _C.SETTINGS, "Terminal accepted", "终端已接受"
    TERMINAL_REGISTRATION_REFUSED = (
        "terminal.registration_refused",
        _C.REFUSALS,
        "Registration of a terminal refused",
        "终端注册被拒绝",
    )
    TERMINAL_RENEWAL_ORDERED = (
        "terminal.renewal_ordered",
        _C.CREDENTIALS,
        "Renewal of a terminal's credential ordered",
        "已要求更换凭据",
    )
    TERMINAL_CREDENTIAL_ISSUED = (
        "terminal.credential_issued",
        _C.CREDENTIALS,
        "New credential issued to a terminal",
        "已签发新凭据",
    )
    TERMINAL_CREDENTIAL_RENEWED = (
        "terminal.credential_renewed",
        _C.CREDENTIALS,
        "Credential of a terminal renewed",
        "凭据已更换",
    )
    TERMINAL_CREDENTIAL_REVOKED = (
        "terminal.credential_revoked",
        _C.CREDENTIALS,
        "Credential of a terminal revoked",
        "凭据已吊销",
    )
    TERMINAL_ALARM = "terminal.alarm", _C.REFUSALS, "Alarm about a terminal", "终端告警"
    TERMINAL_UPDATED = "terminal.updated", _C.SETTINGS, "Terminal changed", "更新终端"
    TERMINAL_LOST = "terminal.lost", _C.SETTINGS, "Terminal lost", "终端失联"
    TERMINAL_DELETED = "terminal.deleted", _C.SETTINGS, "Terminal deleted", "删除终端"
    # Messages
    SITE_MESSAGE_SENT = "site_message.sent", _C.MESSAGES, "Message sent", "发送站内信"
    SITE_MESSAGE_READ = "site_message.read", _C.MESSAGES, "Messages read", "阅读站内信"
    SITE_MESSAGE_OLD_DELETED = "site_message.old_deleted", _C.MESSAGES, "Old messages deleted", "清理旧站内信"
    DELIVERY_FAILED = "delivery.failed", _C.MESSAGES, "Message could not be delivered", "消息无法送达"
    DELIVERY_RETRIED = "delivery.retried", _C.MESSAGES, "Delivery tried again", "重新投递消息"
    SYSLOG_TESTED = "settings.syslog_tested", _C.SETTINGS, "Syslog receiver tested", "测试 Syslog 接收方"
    SYSLOG_FAILED = "syslog.failed", _C.SETTINGS, "Audit log could not be sent to syslog", "审计日志无法发送到 Syslog"
    WEBHOOK_TESTED = "webhook.tested", _C.MESSAGES, "Webhook tested", "测试 Webhook"
    WEBHOOK_SECRET_REPLACED = (
        "webhook.secret_replaced",
        _C.MESSAGES,
        "Secret of a webhook replaced",
        "更换 Webhook 密钥",
    )
    WEBHOOK_SWITCHED_OFF = (
        "webhook.switched_off",
        _C.MESSAGES,
        "Webhook switched off by its receiver",
        "接收方停用 Webhook",
    )
    WEBHOOK_DELIVERY_FAILED = "webhook.delivery_failed", _C.MESSAGES, "Webhook delivery failed", "Webhook 投递失败"
    WEBHOOK_DELIVERY_RETRIED = "webhook.delivery_retried", _C.MESSAGES, "Webhook delivery retried", "重试 Webhook 投递"
    SUBSCRIPTION_UPDATED = "subscription.updated", _C.MESSAGES, "Subscription changed", "更新消息订阅"
    vars().update({name: member for kinds in (*RESOURCES, *LISTS) for name, member in kinds.members().items()})
