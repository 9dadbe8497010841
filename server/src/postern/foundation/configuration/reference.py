"""What each variable of the environment means, in both languages."""

from typing import Final, NamedTuple


class Variable(NamedTuple):
    """A variable of the environment. The reference pages are generated from it."""

    name: str
    default: str
    english: str
    chinese: str
    #: The default in Chinese, if it is described in words.
    default_chinese: str = ""


SETTINGS_REFERENCE: Final = (
    Variable(
        "POSTERN_HOME",
        "./var",
        "Data folder of this installation.",
        "此安装的数据目录。",
    ),
    Variable(
        "POSTERN_HTTP",
        "127.0.0.1:8080",
        "Address of the console and the API.",
        "控制台和 API 的地址。",
    ),
    Variable(
        "POSTERN_WEB_PROCESSES",
        "one for each core, at most 4",
        (
            "Number of web processes, 1 to 32. They share loaded code; each further process uses about 30 MB and up "
            "to 18 connections to PostgreSQL."
        ),
        (
            "Web 进程数，1 到 32。各进程共享已加载的代码；每增加一个进程约占用 30 MB 内存，并最多使用 18 个 "
            "PostgreSQL 连接。"
        ),
        "每个核心一个，最多 4 个",
    ),
    Variable(
        "POSTERN_SSH",
        "127.0.0.1:2222",
        "Address of the SSH front.",
        "SSH 前端的地址。",
    ),
    Variable(
        "POSTERN_SSH_PUBLIC",
        "",
        (
            "Address under which users reach the SSH front, HOST:PORT. The console writes it into the ssh lines that "
            "users copy. If it is not set: the host name under which users called the console, and the port of "
            "POSTERN_SSH."
        ),
        (
            "用户访问 SSH 前端所用的地址，格式为 HOST:PORT。控制台把它写入供用户复制的 ssh 命令。未设置时：用户访问控"
            "制台所用的主机名，加上 POSTERN_SSH 的端口。"
        ),
    ),
    Variable(
        "POSTERN_SSH_CONNECTIONS",
        "2000",
        "Maximum number of SSH connections of one proxy.",
        "一个代理的 SSH 连接数上限。",
    ),
    Variable(
        "POSTERN_SSH_SIGNING_IN",
        "500",
        "Maximum number of these connections whose user is not known yet.",
        "其中尚不知道用户是谁的连接数上限。",
    ),
    Variable(
        "POSTERN_SSH_CONNECTIONS_PER_ADDRESS",
        "200",
        (
            "Maximum number of SSH connections from one address: an IPv4 address, or a /64 network of IPv6. Raise it "
            "if many users share a gateway."
        ),
        "来自同一地址的 SSH 连接数上限：一个 IPv4 地址，或一个 IPv6 的 /64 网络。许多用户共用一个网关时可以提高。",
    ),
    Variable(
        "POSTERN_SSH_SIGNING_IN_PER_ADDRESS",
        "30",
        "Maximum number of connections from one address whose user is not known yet.",
        "来自同一地址、尚不知道用户是谁的连接数上限。",
    ),
    Variable(
        "POSTERN_SSH_NEW_PER_ADDRESS",
        "20",
        "Maximum number of new SSH connections from one address in a second.",
        "同一地址每秒新建 SSH 连接数的上限。",
    ),
    Variable(
        "POSTERN_SSH_KEYS_PER_ADDRESS",
        "50",
        (
            "Public keys from one address that are looked up in a second. A burst of ten times as many is allowed; "
            "further keys wait."
        ),
        "每秒查询的来自同一地址的公钥数。允许短时间内达到十倍，其余公钥需等待。",
    ),
    Variable(
        "POSTERN_ADMIN_PASSWORD",
        "",
        "Password of the first administrator `admin`. If it is not set, a random password is printed once.",
        "首个管理员 `admin` 的密码。未设置时，随机生成密码并只显示一次。",
    ),
    Variable(
        "DATABASE_URL",
        "",
        ("`postgresql://user:password@host:port/name`. If it is not set, the database is SQLite in the data folder."),
        "`postgresql://user:password@host:port/name`。未设置时，使用数据目录中的 SQLite 数据库。",
    ),
    Variable(
        "POSTERN_REDIS_URL",
        "",
        "`redis://…` of your own Redis. If it is not set, Postern starts a private Redis.",
        "你自己的 Redis：`redis://…`。未设置时，Postern 启动一个私有 Redis。",
    ),
    Variable(
        "POSTERN_TRUSTED_PROXIES",
        "",
        "Networks of the reverse proxies whose X-Forwarded-For is accepted, comma-separated.",
        "可信反向代理所在的网络，接受它们发送的 X-Forwarded-For，用逗号分隔。",
    ),
    Variable(
        "POSTERN_ALLOWED_HOSTS",
        "",
        "Host names under which the console can be called, comma-separated. If it is not set, any host name.",
        "允许用来访问控制台的主机名，用逗号分隔。未设置时，允许任何主机名。",
    ),
    Variable(
        "POSTERN_HTTPS",
        "no",
        "`yes` if users reach the console over https (secure cookies, HSTS).",
        "用户通过 https 访问控制台时设为 `yes`（安全 Cookie、HSTS）。",
    ),
    Variable(
        "POSTERN_BOOTSTRAP_TOKEN",
        "",
        "Token with which a proxy registers. If it is not set, a token is created in the data folder.",
        "代理注册时使用的令牌。未设置时，在数据目录中生成一个令牌。",
    ),
    Variable(
        "POSTERN_KEK_FILE",
        "POSTERN_HOME/secrets/kek.json",
        "File with the key-encryption keys of the vault.",
        "保存保险库的密钥加密密钥的文件。",
    ),
    Variable(
        "POSTERN_SECRET_STORE",
        "local",
        (
            "Where new secrets of targets are stored: `local`, `vault-kv2` or `vault-transit`. `postern vault move` "
            "moves the existing ones. The guide *Secrets in HashiCorp Vault* has the steps."
        ),
        (
            "目标的新密文保存在哪里：`local`、`vault-kv2` 或 `vault-transit`。已有的密文用 `postern vault move` 迁移"
            "。步骤见指南“使用 HashiCorp Vault 保存密文”。"
        ),
    ),
    Variable(
        "POSTERN_VAULT_ADDR",
        "",
        (
            "Address of HashiCorp Vault, `https://HOST:PORT`. `http://` is accepted for this machine only. Needed as "
            "long as one secret lies there."
        ),
        (
            "HashiCorp Vault 的地址，`https://HOST:PORT`。只有本机可以使用 `http://`。只要还有一个密文保存在 Vault 中"
            "，就需要此设置。"
        ),
    ),
    Variable(
        "POSTERN_VAULT_NAMESPACE",
        "",
        "Namespace in Vault.",
        "Vault 中的命名空间。",
    ),
    Variable(
        "POSTERN_VAULT_CA_FILE",
        "",
        (
            "File with the certificates (PEM) that Vault's certificate must come from. If it is not set: those of "
            "the system."
        ),
        "证书文件（PEM），Vault 的证书必须由其中的证书签发。未设置时，使用系统的证书。",
    ),
    Variable(
        "POSTERN_VAULT_TOKEN",
        "",
        "Token for Vault.",
        "访问 Vault 的令牌。",
    ),
    Variable(
        "POSTERN_VAULT_TOKEN_FILE",
        "",
        "File with the token, which is read again when Vault refuses the token. For a Vault agent.",
        "保存令牌的文件，Vault 拒绝令牌时会重新读取。供 Vault agent 使用。",
    ),
    Variable(
        "POSTERN_VAULT_ROLE_ID",
        "",
        "Role id, if Postern signs in with an AppRole instead of a token.",
        "Postern 使用 AppRole 而不是令牌登录时的 role id。",
    ),
    Variable(
        "POSTERN_VAULT_SECRET_ID",
        "",
        "Secret id of the AppRole.",
        "AppRole 的 secret id。",
    ),
    Variable(
        "POSTERN_VAULT_SECRET_ID_FILE",
        "",
        "File with the secret id of the AppRole, which is read at each sign-in.",
        "保存 AppRole 的 secret id 的文件，每次登录时读取。",
    ),
    Variable(
        "POSTERN_VAULT_APPROLE_MOUNT",
        "approle",
        "Mount of the AppRole method.",
        "AppRole 登录方式的挂载点。",
    ),
    Variable(
        "POSTERN_VAULT_KV_MOUNT",
        "secret",
        "Mount of the key-value engine, version 2.",
        "键值引擎（版本 2）的挂载点。",
    ),
    Variable(
        "POSTERN_VAULT_FOLDER",
        "postern",
        "Folder of Postern's secrets in the key-value engine.",
        "键值引擎中存放 Postern 密文的目录。",
    ),
    Variable(
        "POSTERN_VAULT_TRANSIT_MOUNT",
        "transit",
        "Mount of the transit engine.",
        "transit 引擎的挂载点。",
    ),
    Variable(
        "POSTERN_VAULT_TRANSIT_KEY",
        "postern",
        "Name of the transit key.",
        "transit 密钥的名称。",
    ),
    Variable(
        "POSTERN_VAULT_TIMEOUT",
        "5",
        "Seconds that one operation in Vault may take, with all repetitions: 1 to 30.",
        "在 Vault 中完成一次操作（包括所有重试）的时限，单位为秒：1 到 30。",
    ),
    Variable(
        "POSTERN_LOG_LEVEL",
        "INFO",
        "DEBUG, INFO, WARNING or ERROR.",
        "DEBUG、INFO、WARNING 或 ERROR。",
    ),
    Variable(
        "POSTERN_LANGUAGE",
        "zh-hans",
        (
            "`zh-hans` or `en`: language over SSH and in messages for users who have chosen no language and whose "
            "client names none."
        ),
        "`zh-hans` 或 `en`：用户没有选择语言、其客户端也没有指明语言时，SSH 中和消息中使用的语言。",
    ),
    Variable(
        "POSTERN_ALLOW_LOCAL_TARGETS",
        "yes on a loopback POSTERN_HTTP, otherwise no",
        (
            "Whether targets may be on this machine (loopback and every address of its interfaces). Postern's own "
            "services and metadata services of clouds are never allowed."
        ),
        ("目标是否可以位于本机（回环地址及各网络接口的所有地址）。Postern 自身的服务和云平台的元数据服务始终不允许。"),
        "POSTERN_HTTP 为回环地址时为 yes，否则为 no",
    ),
    Variable(
        "POSTERN_BLOCKED_NETWORKS",
        "",
        "Further networks in which no target is allowed, comma-separated.",
        "另外禁止作为目标的网络，用逗号分隔。",
    ),
    Variable(
        "POSTERN_CONSOLE_DIST",
        "",
        "Folder of the built console. If it is not set, the folder in the source tree.",
        "已构建的控制台所在的目录。未设置时，使用源代码目录中的控制台。",
    ),
    Variable(
        "POSTERN_TIME_ZONE",
        "UTC",
        "Time zone of times for clients that name none.",
        "客户端没有指明时区时使用的时区。",
    ),
    Variable(
        "POSTERN_AUDIT_WITNESS",
        "",
        (
            "File to which every signed checkpoint of the audit log is appended, best on storage that only allows "
            "appending. Empty: none."
        ),
        "每个已签名的审计日志检查点都会追加到此文件，最好位于只允许追加的存储上。留空则不追加。",
    ),
    Variable(
        "POSTERN_RECORDING_RESERVE_MB",
        "1024",
        (
            "Free disk space in MB. Below it the proxy starts no new session, and ends running sessions of the user "
            "whose sessions together write most, so that the other sessions can continue."
        ),
        (
            "保留的可用磁盘空间，单位为 MB。低于此值时，代理不再启动新会话，并结束所有会话合计写入最多的用户的在线会"
            "话，使其他会话可以继续。"
        ),
    ),
    Variable(
        "POSTERN_RECORDING_INPUT_MB",
        "1024",
        (
            "Maximum recorded input of one command, with or without a terminal, in MB: 1 to 1048576. The space in "
            "the journal counts, so many tiny inputs reach the limit earlier. A session with more input ends. File "
            "transfers by scp, sftp, rsync and tar do not count."
        ),
        (
            "一个命令（无论有没有终端）的输入最多录制多少，单位为 MB：1 到 1048576。按日志中占用的空间计算，因此大量"
            "很小的输入会更早达到上限。输入超过上限的会话会结束。scp、sftp、rsync 和 tar 的文件传输不计入。"
        ),
    ),
    Variable(
        "POSTERN_IMPORT_MAX_MB",
        "10",
        "Maximum size of an imported csv or xlsx file, in MB: 1 to 30.",
        "导入的 csv 或 xlsx 文件的大小上限，单位为 MB：1 到 30。",
    ),
    Variable(
        "POSTERN_SHUTDOWN_SECONDS",
        "3 under `postern up`, 60 for `postern proxy`",
        (
            "Seconds that live sessions may continue after a stop signal, 0 to 86400; their users are notified. A "
            "second signal ends the sessions at once. The service manager must wait longer before it kills Postern."
        ),
        (
            "收到停止信号后，在线会话还可以继续的秒数：0 到 86400；用户会收到通知。第二次信号立即结束会话。服务管理器"
            "强制终止 Postern 之前的等待时间必须更长。"
        ),
        "`postern up` 为 3，`postern proxy` 为 60",
    ),
    Variable(
        "POSTERN_CONTROL_URL",
        "",
        "For `postern proxy` on another machine: address of the web part.",
        "用于另一台机器上的 `postern proxy`：Web 服务的地址。",
    ),
    Variable(
        "POSTERN_STREAM",
        "",
        "Address where the web part reaches the web terminal endpoint of this proxy: `unix:/path` or `HOST:PORT`.",
        "Web 服务访问此代理的 Web 终端端点所用的地址：`unix:/path` 或 `HOST:PORT`。",
    ),
    Variable(
        "POSTERN_FILES",
        "",
        "Address where the web part reaches the file manager endpoint of this proxy, in the same form. If it is not set, a Unix socket; none if `POSTERN_STREAM` is `HOST:PORT`.",
        "Web 服务访问此代理的文件管理端点所用的地址，格式相同。未设置时为 Unix 套接字；若 `POSTERN_STREAM` 为 `HOST:PORT`，则没有该端点。",
    ),
    Variable(
        "POSTERN_PROXY_NAME",
        "",
        "Name under which this proxy registers. If it is not set, the host name.",
        "此代理注册时使用的名称。未设置时使用主机名。",
    ),
    Variable(
        "POSTERN_HEALTH_TOKEN",
        "",
        "If it is set, `/api/health/` requires `?token=` with this value.",
        "设置后，访问 `/api/health/` 必须带有 `?token=` 和此值。",
    ),
)
