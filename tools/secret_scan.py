"""Refuses a private key, a token or a file of a data folder that was committed by mistake. Test data that must look like one stands in ALLOWED."""

import fnmatch
import re
import subprocess
import sys

from detect_secrets import SecretsCollection
from detect_secrets.settings import transient_settings
from steps import ROOT

#: Only detectors with few false alarms: a scan that cries wolf is switched off.
PLUGINS = (
    "ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "CloudantDetector",
    "DiscordBotTokenDetector", "GitHubTokenDetector", "JwtTokenDetector", "MailchimpDetector", "NpmDetector",
    "PrivateKeyDetector", "SendGridDetector", "SlackDetector", "StripeDetector", "TwilioKeyDetector",
)  # fmt: skip

#: Files that hold keys on purpose, each made for a test and used nowhere else.
ALLOWED = (
    "server/tests/*", "e2e/*", "console/src/**/*.test.ts*", "*.lock", "*package-lock.json",
    # No place for secrets, and long.
    "LICENSE", "docs/specification/*", "*/locales/*.json", "*.po", "*.mo", "*.png", "*.woff2", "*.svg",
)  # fmt: skip

#: Files of a data folder: what is in them is a secret or somebody's, whatever it looks like.
DATA_FOLDER = ("*.sqlite3", "*/secrets/*", "*.key")

#: A key has a body: a line that only names the format (a placeholder, a parser) is none.
KEY_BODY = re.compile(r"PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}")


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name and not any(fnmatch.fnmatch(name, a) for a in ALLOWED)]
    found = SecretsCollection(root=str(ROOT))
    with transient_settings({"plugins_used": [{"name": name} for name in PLUGINS]}):
        for name in names:
            found.scan_file(name)
    secrets = [
        (name, secret)
        for name, secret in found
        if secret.type != "Private Key" or KEY_BODY.search((ROOT / name).read_text(encoding="utf-8"))
    ]
    kept = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in DATA_FOLDER)]
    for name, secret in secrets:
        print(f"{name}:{secret.line_number}: {secret.type}", file=sys.stderr)
    for name in kept:
        print(f"{name}: belongs into a data folder", file=sys.stderr)
    return 1 if secrets or kept else 0


if __name__ == "__main__":
    sys.exit(main())
