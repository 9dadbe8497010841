"""Every sentence that a proxy shows to a user, in both languages, with checked placeholders."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from postern.contracts.enums import EndReason
from postern.kernel.sentences import Sentence, Value
from postern.proxies.core.spoken import ENGLISH, Spoken


class Text(Spoken):
    """Sentences that are used in several places, or stored with their code."""

    # Session ends
    END_USER_CLOSED = ("会话已结束。", "The session has ended.")
    END_TARGET_CLOSED = ("目标主机已结束会话。", "The target ended the session.")
    END_TERMINATED = ("会话已被管理员终止。", "An administrator ended this session.")
    END_IDLE = ("会话因长时间没有操作而结束。", "The session ended because nothing happened for too long.")
    END_GRANT_EXPIRED = (
        "你的授权已到期，会话已结束。如需继续使用，可联系管理员。",
        "Your permission has run out, so the session has ended. Ask an administrator if you need more time.",
    )
    END_GRANT_WITHDRAWN = (
        "你的授权已被撤销或更改，会话已结束。如有疑问，可联系管理员。",
        "Your permission was withdrawn or changed, so the session has ended. Ask an administrator if you need it.",
    )
    END_ACCOUNT_CLOSED = (
        "你的账号已停用、过期或已退出登录，会话已结束。",
        "Your account was disabled, has expired or was signed out, so the session has ended.",
    )
    END_CANNOT_RECORD = (
        "会话无法录像，因此已结束：没有录像的会话不允许继续。可联系管理员。",
        (
            "Postern cannot record this session, so it has ended. Sessions without a recording are not allowed. "
            "Please tell an administrator."
        ),
    )
    CANNOT_LOG = (
        "磁盘已满，会话中的操作无法记录，按照安全策略已结束。可联系管理员，稍后再试。",
        (
            "There is no room left to log what this session does, so it has ended, as the policy demands. "
            "Please tell an administrator, and try again later."
        ),
    )
    END_UNREACHABLE = ("无法连接目标主机。", "The target cannot be reached.")
    END_CREDENTIAL_REFUSED = (
        "目标主机拒绝了系统用户的凭据。可联系管理员检查该系统用户。",
        "The target did not accept the system user's credential. Ask an administrator to check the system user.",
    )
    END_HOST_KEY_REFUSED = (
        "目标主机的密钥与记录不符，连接已被拒绝。可联系管理员核实。",
        "The target's host key differs from the pinned key, so the connection was refused. Ask an administrator to check it.",
    )
    END_PROTOCOL_UNSUPPORTED = (
        "此处不支持该资产的协议。可联系管理员。",
        "The protocol of this asset is not available here. Ask an administrator.",
    )
    END_LIMIT = (
        "会话超出了 Postern 的保护限制，已结束。可联系管理员。",
        "The session exceeded one of Postern's protective limits and has ended. Please tell an administrator.",
    )
    WATCH_OVER = (
        "会话已结束，或没有可监控的终端画面。",
        "The session has ended, or it has no terminal to watch.",
    )
    WATCH_FULL = (
        "已有 {count} 人正在监控此会话，达到上限。其中一人离开后再试。",
        "{count} people already watch this session, which is the limit. Try again when one of them has left.",
    )
    INPUT_TOO_LONG = (
        "标准输入超过 {size}，无法完整录像，会话已结束。传输大文件可使用 scp、sftp 或 rsync，或请管理员提高 POSTERN_RECORDING_INPUT_MB。",
        (
            "Standard input of more than {size} is not recorded, so the session has ended. "
            "Send large files with scp, sftp or rsync, or ask an operator to raise POSTERN_RECORDING_INPUT_MB."
        ),
    )
    END_CONTROL_LOST = (
        "控制中心长时间无法联系，会话已结束。",
        "The control plane has been out of reach for too long, so the session has ended.",
    )
    END_DRAINED = (
        "服务正在关闭，会话已结束。稍后重新连接。",
        "The service is shutting down. Please connect again in a moment.",
    )
    END_INTERRUPTED = ("会话意外中断。", "The session was interrupted.")
    END_ERROR = (
        "内部错误，会话已结束。可联系管理员。",
        "An internal error ended the session. Please tell an administrator.",
    )

    # Rights of a running session
    EXPIRING = (
        "你的授权将在 {seconds} 秒后到期，届时会话将结束。",
        "Your permission ends in {seconds} seconds; the session will end then.",
    )
    PROLONGED = ("你的授权已延长，会话可以继续。", "Your permission was prolonged; the session goes on.")
    SHUTDOWN_SOON = (
        "服务正在关闭：此会话还可以继续 {seconds} 秒，届时将结束。",
        "The service is shutting down: this session may go on for {seconds} seconds and ends then.",
    )
    LOCKED = (
        "{name} 已锁定此会话：解锁之前，你的输入不会发送到主机，也不会保留。",
        "{name} has locked this session. Until it is unlocked, nothing that you type reaches the host or is kept.",
    )
    PROGRAM_LOCKED = (
        "{name} 已锁定此会话：解锁之前，传输和程序的输入输出暂停。",
        "{name} has locked this session. Transfers, input and output of the program wait until it is unlocked.",
    )
    STILL_LOCKED = (
        "会话已被 {name} 锁定，刚才的输入没有发送到主机。",
        "{name} has locked this session. What you just typed did not reach the host.",
    )
    UNLOCKED = ("{name} 已解锁此会话，可以继续。", "{name} has unlocked this session. You can go on.")
    MESSAGE = ("来自 {name} 的消息：{text}", "Message from {name}: {text}")
    ACTIONS_ENDED = (
        "你对该资产的以下权限已结束：{actions}。",
        "Your permission for this asset no longer includes: {actions}.",
    )
    ACTIONS_GIVEN = (
        "你现在对该资产还有以下权限：{actions}。",
        "Your permission for this asset now includes: {actions}.",
    )
    ACTION_CONNECT = ("登录", "opening a shell")
    ACTION_UPLOAD_FILE = ("上传文件", "uploading files")
    ACTION_DOWNLOAD_FILE = ("下载文件", "downloading files")
    ACTION_CLIPBOARD_COPY = ("复制到剪贴板", "copying to the clipboard")
    ACTION_CLIPBOARD_PASTE = ("从剪贴板粘贴", "pasting from the clipboard")
    ACTION_FORWARD = ("端口转发", "port forwarding")

    # Signing in
    CODE_PROMPT = ("SSH 登录码：", "Code for SSH: ")
    MFA_PROMPT = ("MFA 验证码或恢复码：", "MFA code or recovery code: ")
    MFA_EXPLAINED = ("输入身份验证器中的 6 位验证码。", "Enter the 6 digits that your authenticator app shows.")

    # Opening a session
    CONTROL_UNAVAILABLE = (
        "Postern 暂时不可用，稍后再试。",
        "Postern is temporarily unavailable. Please try again in a moment.",
    )
    DRAINING = ("服务正在关闭，不再接受新会话。", "The service is shutting down and takes no new sessions.")
    TOO_MANY_SESSIONS = (
        "会话数量已达上限，稍后再试。",
        "There are too many sessions at the moment. Please try again later.",
    )
    TOO_MANY_CHANNELS = ("此连接上的会话过多。", "There are too many sessions on this connection.")
    REQUEST_NOT_PERMITTED = ("不允许 {request}", "{request} is not permitted")
    UNRESOLVED = ("无法解析目标地址 {host}。", "The name {host} cannot be resolved.")
    DIAL_FORBIDDEN = (
        "不允许连接到 {host}:{port}（本机地址）。管理员可用设置 POSTERN_ALLOW_LOCAL_TARGETS=yes 放开本机地址。",
        (
            "{host}:{port} may not be dialled (an address of this machine). "
            "An operator can permit local targets with POSTERN_ALLOW_LOCAL_TARGETS=yes."
        ),
    )
    DIAL_OWN_SERVICE = (
        "不允许连接到 {host}:{port}：这是 Postern 自身的服务。",
        "{host}:{port} may not be dialled: it is a service of Postern itself.",
    )
    DIAL_METADATA = (
        "不允许连接到 {host}:{port}：这是云平台的元数据服务。",
        "{host}:{port} may not be dialled: it is the metadata service of a cloud.",
    )
    DIAL_BLOCKED = (
        "不允许连接到 {host}:{port}：该网络已被管理员禁止（POSTERN_BLOCKED_NETWORKS）。",
        "{host}:{port} may not be dialled: an operator has blocked this network (POSTERN_BLOCKED_NETWORKS).",
    )
    DIAL_NOT_A_HOST = (
        "不允许连接到 {host}:{port}：这不是主机地址。",
        "{host}:{port} may not be dialled: it is not the address of a host.",
    )
    DIAL_BEHIND_GATEWAY = (
        "不允许经网关连接到 {host}:{port}：该地址指向网关自身，或不是主机地址。可联系管理员更正资产的地址。",
        (
            "{host}:{port} may not be dialled through a gateway: the address means the gateway itself, or no host. "
            "Ask an administrator to correct the address of the asset."
        ),
    )
    CONNECT_REFUSED = (
        "目标 {host}:{port} 拒绝了连接，需确认 SSH 服务正在运行。",
        "{host}:{port} refused the connection. Is its SSH service running?",
    )
    CONNECT_TIMEOUT = (
        "连接目标 {host}:{port} 超时，需确认主机在线且网络可达。",
        "{host}:{port} did not answer in time. Is the host up and reachable from here?",
    )
    CONNECT_FAILED = ("无法连接目标 {host}:{port}：{detail}。", "{host}:{port} cannot be reached: {detail}.")
    CONNECT_NOT_SSH = (
        "目标 {host}:{port} 没有完成 SSH 握手：{detail}。",
        "{host}:{port} did not complete the SSH handshake: {detail}.",
    )
    LOGIN_REFUSED = (
        "目标 {host} 不接受账号 {login} 的凭据。{story}可联系管理员检查系统用户“{system_user}”。",
        (
            "{host} did not accept the credential of {login}. {story} "
            "Ask an administrator to check the system user “{system_user}”."
        ),
    )
    LOGIN_REFUSED_MANUAL = (
        "目标 {host} 不接受你为 {login} 输入的密码。{story}",
        "{host} did not accept the password that you gave for {login}. {story}",
    )
    ACCOUNT_REFUSED = (
        "目标 {host} 不接受账号 {login} 的凭据。{story}",
        "{host} did not accept the credential of {login}. {story}",
    )
    NO_SHELL = (
        "目标 {host} 没有启动可用的 Shell。它显示的内容：{shown}",
        "{host} started no shell that answers. It showed: {shown}",
    )
    ROOT_REFUSED = (
        "账号 {login} 在目标 {host} 上不能通过 sudo 成为 root。它显示的内容：{shown}",
        "{login} may not become root on {host} with sudo. It showed: {shown}",
    )
    SHELL_OF_WINDOWS = (
        "目标 {host} 是 Windows 主机，没有 Shell sh。请把资产的系统平台改为 Windows。",
        "{host} is a Windows host and has no shell sh. Choose the platform Windows for the asset.",
    )
    NOT_WINDOWS = (
        "目标 {host} 不是 Windows 主机。请检查资产的系统平台。它显示的内容：{shown}",
        "{host} is not a Windows host. Check the platform of the asset. It showed: {shown}",
    )
    NO_POWERSHELL = (
        "目标 {host} 没有启动 PowerShell。它显示的内容：{shown}",
        "{host} did not start PowerShell. It showed: {shown}",
    )
    WINRM_CLOSED = (
        "目标 {host} 的端口 {port} 没有服务，WinRM 未启用或使用其他端口。在主机上运行 Enable-PSRemoting 可启用端口 5985；端口 5986 需要带证书的侦听器。",
        (
            "Nothing listens on port {port} of {host}: WinRM is not enabled, or uses another port."
            " Enable-PSRemoting on the host enables port 5985; port 5986 needs a listener with a certificate."
        ),
    )
    WINRM_NO_ANSWER = (
        "目标 {host}:{port} 上的服务不是 WinRM：{detail}。",
        "The service on {host}:{port} is not WinRM: {detail}.",
    )
    WINRM_ACCESS_DENIED = (
        "账号 {login} 已登录目标 {host}，但没有权限通过 WinRM 运行程序。需要是 Administrators 组的成员。",
        "{login} signed in on {host}, but may not run programs over WinRM. This needs a member of Administrators.",
    )
    WINRM_FAULT = (
        "目标 {host} 的 WinRM 返回错误：{detail}。",
        "WinRM on {host} answered with an error: {detail}.",
    )
    WINRM_NEEDS_PASSWORD = (
        "通过 WinRM 登录目标 {host} 需要密码，账号 {login} 没有密码。",
        "Signing in on {host} over WinRM needs a password, and {login} has none.",
    )
    WINRM_REFUSED = (
        "目标 {host} 的 WinRM 不接受账号 {login} 的密码。",
        "WinRM on {host} did not accept the password of {login}.",
    )
    WINRM_NO_METHOD = (
        "目标 {host} 的 WinRM 只提供这些登录方式：{methods}。HTTP 上需要 Negotiate，HTTPS 上需要 Negotiate 或 Basic。",
        (
            "WinRM on {host} offers only these ways to sign in: {methods}. Postern needs Negotiate over HTTP, and Negotiate or"
            " Basic over HTTPS."
        ),
    )
    METHOD_REFUSED = ("{method}：被拒绝。", "{method}: refused.")
    METHOD_UNANSWERED = (
        "{method}：主机询问的不是密码（“{question}”），无法回答。",
        "{method}: the host asks for something other than the password (“{question}”), which cannot be answered.",
    )
    METHOD_EXPIRED = (
        "{method}：该账号的密码已过期，主机要求设置新密码。",
        "{method}: the password of this account has expired; the host wants a new one.",
    )
    METHOD_NOT_ENOUGH = ("{method}：已通过。", "{method}: accepted.")
    METHOD_NONE_FITS = (
        "主机要求：{methods}；系统用户没有可用于此方式的凭据。可联系管理员补充。",
        "The host asks for {methods}, and the system user has no credential for it. Ask an administrator to add one.",
    )
    HOST_KEY_CHANGED = (
        (
            "目标 {host} 的主机密钥已改变，连接被拒绝。\r\n  已记录：{pinned}\r\n  现收到：{seen}\r\n"
            "可能是主机重装，也可能是中间人攻击。可联系管理员核实后更新记录。"
        ),
        (
            "The host key of {host} has changed; the connection was refused.\r\n  pinned: {pinned}\r\n  shown:  {seen}\r\n"
            "Either the host was rebuilt, or somebody intercepts the connection. An administrator must check and accept the new key."
        ),
    )
    SHELL_REFUSED = ("目标主机拒绝了该请求。", "The target refused the request.")
    PROMPT_LOGIN_NAME = ("{host} 的用户名：", "User name on {host}: ")
    PROMPT_PASSWORD = ("{login}@{host} 的密码：", "Password of {login}@{host}: ")
    PROMPT_PASSWORD_AGAIN = (
        "主机不接受该密码，请重新输入 {login}@{host} 的密码：",
        "The host did not accept it. Password of {login}@{host}: ",
    )
    PROMPT_NEEDS_TERMINAL = (
        "该系统用户需在连接时输入密码，而 sftp、scp 等没有终端的程序无法询问。请打开 Shell，或事先在控制台的“临时凭据”中输入（API：temp-auth）。",
        (
            "The password of this system user is entered while connecting, and a program without a terminal (sftp, scp …) "
            "cannot ask for it. Open a shell, or enter it beforehand in the console: Temporary credentials (API: temp-auth)."
        ),
    )
    PROMPT_CANCELLED = ("没有输入，连接已取消。", "No answer was given; the connection was cancelled.")
    CONNECT_CANCELLED = ("已取消连接。", "The connection was cancelled.")
    CONNECTING_THROUGH = ("正在通过 {via} 连接 …", "Connecting through {via} …")

    # Gateways on the way to a target
    NO_GATEWAY = (
        "前往 {host}:{port} 的途中有一个网域没有可用的网关。可联系管理员。",
        "A domain on the way to {host}:{port} has no gateway in use. Ask an administrator.",
    )
    NO_WAY = ("没有找到通往 {host}:{port} 的路径：", "No way to {host}:{port} was found:")
    WAY_TIMEOUT = (
        "未能及时经网关连接到 {host}:{port}。",
        "No gateway led to {host}:{port} in time.",
    )
    GATEWAY_FAILED = ("网关 {gateway}：{message}", "Gateway {gateway}: {message}")
    GATEWAY_SILENT = (
        "网关 {gateway}（{host}:{port}）没有及时应答。",
        "Gateway {gateway} ({host}:{port}) did not answer in time.",
    )
    GATEWAY_LOST = (
        "与网关 {gateway} 的连接中断，会话已结束。可重新连接，仍可用的网关会被使用。",
        (
            "The connection to the gateway {gateway} was lost, so the session has ended. "
            "Connect again: a gateway that still answers is used."
        ),
    )
    GATEWAY_NO_SECRET = (
        "没有此网关的凭据。可联系管理员。",
        "There is no credential for this gateway. Ask an administrator.",
    )
    GATEWAY_LOGIN_REFUSED = (
        "网关 {gateway} 不接受账号 {login} 的凭据（与你的账号无关）。{story}可联系管理员检查该网关。",
        (
            "The gateway {gateway} did not accept the credential of {login}. Your own account is not the cause. {story} "
            "Ask an administrator to check the gateway."
        ),
    )
    GATEWAY_NONE_FITS = (
        "网关要求：{methods}；没有可用于此方式的凭据。",
        "The gateway asks for {methods}, and there is no credential for it.",
    )
    GATEWAY_PROHIBITS = (
        "网关 {gateway} 不允许转发到 {host}:{port}。可联系管理员检查其 sshd 设置（AllowTcpForwarding、PermitOpen）。",
        (
            "The gateway {gateway} does not permit connections to {host}:{port}. "
            "Ask an administrator to check its sshd settings (AllowTcpForwarding, PermitOpen)."
        ),
    )
    GATEWAY_CANNOT_REACH = (
        "网关 {gateway} 无法连接 {host}:{port}：{detail}。",
        "The gateway {gateway} cannot reach {host}:{port}: {detail}.",
    )
    GATEWAY_WAITS = (
        "经网关 {gateway} 连接 {host}:{port} 超时，需确认主机在线。",
        "{host}:{port} did not answer the gateway {gateway} in time. Is the host up?",
    )
    GATEWAY_KEY_CHANGED = (
        (
            "网关 {gateway} 的主机密钥已改变，连接被拒绝。\r\n  已记录：{pinned}\r\n  现收到：{seen}\r\n"
            "可能是网关重装，也可能是中间人攻击。可联系管理员核实后更新记录。"
        ),
        (
            "The host key of the gateway {gateway} has changed; the connection was refused.\r\n  pinned: {pinned}\r\n"
            "  shown:  {seen}\r\n"
            "Either the gateway was rebuilt, or somebody intercepts the connection. "
            "An administrator must check and accept the new key."
        ),
    )
    CONNECTING = ("正在连接 {login}@{asset} …", "Connecting to {login}@{asset} …")

    # Refusals inside a session
    UPLOAD_REFUSED = (
        "你没有向该资产上传文件的权限。",
        "Your permission for this asset does not include uploading files.",
    )
    DOWNLOAD_REFUSED = (
        "你没有从该资产下载文件的权限。",
        "Your permission for this asset does not include downloading files.",
    )
    TRANSFER_REFUSED = (
        "你没有在该资产上传输文件的权限。",
        "Your permission for this asset does not include file transfer.",
    )
    OUTSIDE_SFTP_ROOT = (
        "文件传输限于目录 {root}（系统用户的 SFTP 根路径）。",
        "File transfer is limited to {root}, the SFTP root of the system user.",
    )
    NO_SFTP_ROOT = (
        "主机上没有目录 {root}（系统用户的 SFTP 根路径）。可联系管理员。",
        "The host has no folder {root}, the SFTP root of the system user. Ask an administrator.",
    )
    UNCLEAR_PATHS = (
        "文件传输限于目录 {root}，而该命令的路径无法确定，已拒绝。可使用 sftp，或不带 -O 的 scp。",
        (
            "File transfer is limited to {root}, and the paths of this command are uncertain, so it was refused. "
            "Use sftp, or scp without -O."
        ),
    )
    TRANSFER_ON_TERMINAL = (
        "文件传输不能使用终端：请去掉 ssh 的 -t 选项。",
        "A file transfer cannot use a terminal: leave out the -t option of ssh.",
    )
    UNCLEAR_TRANSFER = (
        "该命令的文件传输方向不明确，已拒绝。",
        "This command does not say clearly in which direction it transfers files, so it was refused.",
    )
    FORWARD_REFUSED = (
        "你没有向该资产转发端口的权限。",
        "Your permission for this asset does not include port forwarding.",
    )
    CONNECT_NOT_PERMITTED = (
        "你没有登录该资产的权限。",
        "Your permission for this asset does not include opening a shell.",
    )
    CARRIER_REFUSED = (
        "不允许启动 {program}：它会让会话绕过录像。直接使用 ssh；长时间的任务可在主机上用 tmux 或 screen 运行。",
        (
            "{program} is not started: it would carry the shell outside the recording. "
            "Use ssh itself, and tmux or screen on the host for long work."
        ),
    )
    NO_DIRECT_TARGET = (
        "菜单只支持交互式终端。使用 {user}=系统用户=资产 的形式直接连接。",
        "The menu needs a terminal. To go straight to a host, sign in as {user}=SYSTEMUSER=ASSET.",
    )

    def sentence(self, language: str, **values: Value) -> Sentence:
        """Return the sentence with its code, for where it is stored or may be read in another language."""
        shown = {name: value.text if isinstance(value, Sentence) else value for name, value in values.items()}
        return Sentence(self.say(language, **shown), f"{_CODES}{self.name.lower()}", values)


_CODES: Final = "proxy."


def words_by_code() -> Mapping[str, Callable[[str, Mapping[str, Any]], str]]:
    """The code of each text, and what fills it in: language and values."""
    return {f"{_CODES}{text.name.lower()}": partial(_fill, text) for text in Text}


def _fill(text: Text, language: str, values: Mapping[str, Any]) -> str:
    return (text.value[1] if language == ENGLISH else text.value[0]).format_map(values)


def end_message(reason: EndReason, language: str) -> str:
    """Return the message to a user about the end of their session."""
    return Text[f"END_{reason.name}"].say(language)
