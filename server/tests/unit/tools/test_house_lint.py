"""Each house rule reports what it forbids and accepts similar code that is allowed."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

from house_lint.rules import EXEMPT, MAX_LINES, check_source  # noqa: E402 - the tools folder must be on the path first

FORBIDDEN = [
    ("no-random", "import random"),
    ("no-random", "from random import choice"),
    ("no-random", "import numpy.random"),
    ("no-shell", "subprocess.run('ls', shell=True)"),
    ("no-shell", "subprocess.run('ls', shell=flag)"),
    ("no-shell", "os.system('ls')"),
    ("no-shell", "asyncio.create_subprocess_shell('ls')"),
    ("no-unverified-tls", "requests.get(url, verify=False)"),
    ("no-unverified-tls", "context.check_hostname = False"),
    ("no-unverified-tls", "context.verify_mode = ssl.CERT_NONE"),
    ("no-unverified-tls", "asyncssh.connect(host, known_hosts=None)"),
    ("no-mark-safe", "from django.utils.safestring import mark_safe"),
    ("no-mark-safe", "html = safestring.mark_safe(text)"),
    ("no-expanded-query", "rows.filter(**request.GET.dict())"),
    ("no-expanded-query", "rows.filter(**lookup)"),
    ("no-expanded-query", "Q(**data)"),
    ("no-expanded-query", "rows.order_by(**data)"),
    ("no-expanded-query", "rows.annotate(total=1, **more)"),
    ("no-expanded-query", "rows.filter(**{'a': 1, **data})"),
    ("no-expanded-query", "rows.filter(**{name: 1})"),
    ("no-naive-datetime", "datetime.now()"),
    ("no-naive-datetime", "datetime.datetime.utcnow()"),
    ("no-naive-datetime", "datetime.fromtimestamp(5)"),
    ("no-naive-datetime", "datetime(2026, 1, 1)"),
    ("no-naive-datetime", "date.today()"),
    ("no-star-import", "from os import *"),
    ("no-late-import", "def f():\n    import os"),
    ("no-unfinished", "x = 1  # TODO: more"),
    ("no-unfinished", "# FIXME"),
]
ALLOWED = [
    "import secrets",
    "from mymodule import random_name",
    "subprocess.run(['ls'], shell=False)",
    "requests.get(url, verify=True)",
    "requests.get(url, verify=bundle)",
    "asyncssh.connect(host, known_hosts=keys)",
    "rows.filter(name=name)",
    "rows.filter(**{f'{column}_id': value})",
    "make(**validated)",
    "datetime.now(UTC)",
    "datetime.now(tz=UTC)",
    "datetime.fromtimestamp(5, UTC)",
    "datetime(2026, 1, 1, tzinfo=UTC)",
    "text = 'TODO'",
    "import os",
]


@pytest.mark.parametrize(("rule", "source"), FORBIDDEN)
def test_broken_house_rule_is_reported(rule: str, source: str) -> None:
    assert rule in {finding.rule for finding in check_source("src/postern/apps/x/views.py", source + "\n")}


@pytest.mark.parametrize("source", ALLOWED)
def test_code_that_follows_the_house_rules_is_accepted(source: str) -> None:
    assert check_source("src/postern/apps/x/views.py", source + "\n") == []


def test_file_above_the_limit_is_reported_except_for_migrations() -> None:
    source = "VALUE = 1\n" * MAX_LINES
    assert check_source("src/postern/apps/x/views.py", source) == []
    [finding] = check_source("src/postern/apps/x/views.py", source + "VALUE = 2\n")
    assert finding.rule == "no-long-file"
    assert check_source("src/postern/apps/x/migrations/0001_initial.py", source + "VALUE = 2\n") == []


def test_late_import_in_a_composition_root_is_allowed() -> None:
    source = "class X:\n    def ready(self):\n        import os\n"
    assert check_source("src/postern/apps/x/apps.py", source) == []
    assert check_source("src/postern/entrypoints/cli.py", source) == []
    assert check_source("src/postern/apps/x/tasks.py", source) != []


def test_exemptions_name_existing_files_or_the_single_renderer() -> None:
    paths = [path.as_posix() for path in (ROOT / "server" / "src").rglob("*.py")]
    missing = {end for _, end in EXEMPT if not any(path.endswith(end) for path in paths)}
    assert missing <= {"foundation/html.py"}
