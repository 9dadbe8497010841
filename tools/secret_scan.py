"""Refuses private keys, tokens and files of a data folder that were committed by mistake.

Test data that must look like a secret is listed in ALLOWED.
"""

import fnmatch
import re
import subprocess
import sys

from detect_secrets import SecretsCollection
from detect_secrets.settings import transient_settings
from steps import ROOT

#: Only detectors with few false alarms, because a scan with many would be switched off.
PLUGINS = (
    "ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "CloudantDetector",
    "DiscordBotTokenDetector", "GitHubTokenDetector", "JwtTokenDetector", "MailchimpDetector", "NpmDetector",
    "PrivateKeyDetector", "SendGridDetector", "SlackDetector", "StripeDetector", "TwilioKeyDetector",
)  # fmt: skip

#: Files that contain keys on purpose. Each key was generated for a test and is used nowhere else.
ALLOWED = (
    "server/tests/*", "e2e/*", "console/src/**/*.test.ts*", "*.lock", "*package-lock.json",
    # Large files that contain no secrets.
    "LICENSE", "docs/specification/*", "*/locales/*.json", "*.po", "*.mo", "*.png", "*.woff2", "*.svg",
)  # fmt: skip

#: Files of a data folder are always refused, since they contain secrets or personal data.
DATA_FOLDER = ("*.sqlite3", "*/secrets/*", "*.key")

#: A real key has a body. A line with only the header (a placeholder, a parser) is not a key.
KEY_BODY = re.compile(r"PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}")


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name and not any(fnmatch.fnmatch(name, a) for a in ALLOWED)]
    collection = SecretsCollection(root=str(ROOT))
    with transient_settings({"plugins_used": [{"name": name} for name in PLUGINS]}):
        for name in names:
            collection.scan_file(name)
    secrets = [
        (name, secret)
        for name, secret in collection
        if secret.type != "Private Key" or KEY_BODY.search((ROOT / name).read_text(encoding="utf-8"))
    ]
    data_files = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in DATA_FOLDER)]
    for name, secret in secrets:
        print(f"{name}:{secret.line_number}: {secret.type}", file=sys.stderr)
    for name in data_files:
        print(f"{name}: is a file of a data folder and must not be committed", file=sys.stderr)
    return 1 if secrets or data_files else 0


if __name__ == "__main__":
    sys.exit(main())
