"""What each variable of the environment means."""

from typing import Final

#: Name, default and description of each variable. The reference page is generated from it.
SETTINGS_REFERENCE: Final[tuple[tuple[str, str, str], ...]] = (
    ("POSTERN_HOME", "./var", "Data folder of this installation."),
    ("POSTERN_HTTP", "127.0.0.1:8080", "Address of the console and the API."),
    (
        "POSTERN_WEB_PROCESSES",
        "one for each core, at most 4",
        (
            "Number of web processes, 1 to 32. They share loaded code; each further process uses about 30 MB and "
            "up to 18 connections to PostgreSQL."
        ),
    ),
    ("POSTERN_SSH", "127.0.0.1:2222", "Address of the SSH front."),
    (
        "POSTERN_SSH_PUBLIC",
        "",
        (
            "Address under which users reach the SSH front, HOST:PORT. The console writes it into the ssh lines that users "
            "copy. If it is not set: the host name under which users called the console, and the port of POSTERN_SSH."
        ),
    ),
    ("POSTERN_SSH_CONNECTIONS", "2000", "Maximum number of SSH connections of one proxy."),
    ("POSTERN_SSH_SIGNING_IN", "500", "Maximum number of these connections whose user is not known yet."),
    (
        "POSTERN_SSH_CONNECTIONS_PER_ADDRESS",
        "200",
        (
            "Maximum number of SSH connections from one address: an IPv4 address, or a /64 network of IPv6. "
            "Raise it if many users share a gateway."
        ),
    ),
    (
        "POSTERN_SSH_SIGNING_IN_PER_ADDRESS",
        "30",
        "Maximum number of connections from one address whose user is not known yet.",
    ),
    ("POSTERN_SSH_NEW_PER_ADDRESS", "20", "Maximum number of new SSH connections from one address in a second."),
    (
        "POSTERN_SSH_KEYS_PER_ADDRESS",
        "50",
        (
            "Public keys from one address that are looked up in a second. A burst of ten times as many is allowed; "
            "further keys wait."
        ),
    ),
    (
        "POSTERN_ADMIN_PASSWORD",
        "",
        "Password of the first administrator `admin`. If it is not set, a random password is printed once.",
    ),
    (
        "DATABASE_URL",
        "",
        "`postgresql://user:password@host:port/name`. If it is not set, the database is SQLite in the data folder.",
    ),
    ("POSTERN_REDIS_URL", "", "`redis://…` of your own Redis. If it is not set, Postern starts a private Redis."),
    (
        "POSTERN_TRUSTED_PROXIES",
        "",
        "Networks of the reverse proxies whose X-Forwarded-For is accepted, comma-separated.",
    ),
    (
        "POSTERN_ALLOWED_HOSTS",
        "",
        "Host names under which the console can be called, comma-separated. If it is not set, any host name.",
    ),
    ("POSTERN_HTTPS", "no", "`yes` if users reach the console over https (secure cookies, HSTS)."),
    (
        "POSTERN_BOOTSTRAP_TOKEN",
        "",
        "Token with which a proxy registers. If it is not set, a token is created in the data folder.",
    ),
    ("POSTERN_KEK_FILE", "POSTERN_HOME/secrets/kek.json", "File with the key-encryption keys of the vault."),
    (
        "POSTERN_SECRET_STORE",
        "local",
        (
            "Where new secrets of targets are stored: `local`, `vault-kv2` or `vault-transit`. `postern vault move` moves "
            "the existing ones. The guide *Secrets in HashiCorp Vault* has the steps."
        ),
    ),
    (
        "POSTERN_VAULT_ADDR",
        "",
        (
            "Address of HashiCorp Vault, `https://HOST:PORT`. `http://` is accepted for this machine only. Needed as long "
            "as one secret lies there."
        ),
    ),
    ("POSTERN_VAULT_NAMESPACE", "", "Namespace in Vault."),
    (
        "POSTERN_VAULT_CA_FILE",
        "",
        "File with the certificates (PEM) that Vault's certificate must come from. If it is not set: those of the system.",
    ),
    ("POSTERN_VAULT_TOKEN", "", "Token for Vault."),
    (
        "POSTERN_VAULT_TOKEN_FILE",
        "",
        "File with the token, which is read again when Vault refuses the token. For a Vault agent.",
    ),
    ("POSTERN_VAULT_ROLE_ID", "", "Role id, if Postern signs in with an AppRole instead of a token."),
    ("POSTERN_VAULT_SECRET_ID", "", "Secret id of the AppRole."),
    ("POSTERN_VAULT_SECRET_ID_FILE", "", "File with the secret id of the AppRole, which is read at each sign-in."),
    ("POSTERN_VAULT_APPROLE_MOUNT", "approle", "Mount of the AppRole method."),
    ("POSTERN_VAULT_KV_MOUNT", "secret", "Mount of the key-value engine, version 2."),
    ("POSTERN_VAULT_FOLDER", "postern", "Folder of Postern's secrets in the key-value engine."),
    ("POSTERN_VAULT_TRANSIT_MOUNT", "transit", "Mount of the transit engine."),
    ("POSTERN_VAULT_TRANSIT_KEY", "postern", "Name of the transit key."),
    (
        "POSTERN_VAULT_TIMEOUT",
        "5",
        "Seconds that one operation in Vault may take, with all repetitions: 1 to 30.",
    ),
    ("POSTERN_LOG_LEVEL", "INFO", "DEBUG, INFO, WARNING or ERROR."),
    (
        "POSTERN_LANGUAGE",
        "zh-hans",
        (
            "`zh-hans` or `en`: language over SSH and in messages for users who have chosen no language and whose client "
            "names none."
        ),
    ),
    (
        "POSTERN_ALLOW_LOCAL_TARGETS",
        "yes on a loopback POSTERN_HTTP, otherwise no",
        (
            "Whether targets may be on this machine (loopback and every address of its interfaces). "
            "Postern's own services and metadata services of clouds are never allowed."
        ),
    ),
    ("POSTERN_BLOCKED_NETWORKS", "", "Further networks in which no target is allowed, comma-separated."),
    (
        "POSTERN_CONSOLE_DIST",
        "",
        "Folder of the built console. If it is not set, the folder in the source tree.",
    ),
    ("POSTERN_TIME_ZONE", "UTC", "Time zone of times for clients that name none."),
    (
        "POSTERN_RECORDING_RESERVE_MB",
        "1024",
        (
            "Free disk space in MB. Below it the proxy starts no new session, and ends running sessions of the user whose "
            "sessions together write most, so that the other sessions can continue."
        ),
    ),
    (
        "POSTERN_RECORDING_INPUT_MB",
        "1024",
        (
            "Maximum recorded input of one command, with or without a terminal, in MB: 1 to 1048576. The space in the "
            "journal counts, so many tiny inputs reach the limit earlier. A session with more input ends. File transfers "
            "by scp, sftp, rsync and tar do not count."
        ),
    ),
    ("POSTERN_IMPORT_MAX_MB", "10", "Maximum size of an imported csv or xlsx file, in MB: 1 to 30."),
    (
        "POSTERN_SHUTDOWN_SECONDS",
        "3 under `postern up`, 60 for `postern proxy`",
        (
            "Seconds that live sessions may continue after a stop signal, 0 to 86400; their users are notified. "
            "A second signal ends the sessions at once. The service manager must wait longer before it kills Postern."
        ),
    ),
    ("POSTERN_CONTROL_URL", "", "For `postern proxy` on another machine: address of the web part."),
    (
        "POSTERN_STREAM",
        "",
        "Address where the web part reaches the web terminal endpoint of this proxy: `unix:/path` or `HOST:PORT`.",
    ),
    ("POSTERN_PROXY_NAME", "", "Name under which this proxy registers. If it is not set, the host name."),
    ("POSTERN_HEALTH_TOKEN", "", "If it is set, `/api/health/` requires `?token=` with this value."),
)
