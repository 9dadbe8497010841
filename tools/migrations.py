"""`make migrations app=assets name=asset_rack`: writes a migration; with --check it only reports missing migrations.

Django's settings create a data folder. Here it is a temporary folder, so that none is left in the current folder.
"""

import os
import subprocess
import sys
import tempfile

from steps import BIN, ROOT


def main(arguments: list[str]) -> int:
    check = ["--check", "--dry-run"] if "--check" in arguments else []
    wanted = dict(argument.split("=", 1) for argument in arguments if "=" in argument and argument.split("=", 1)[1])
    name = ["--name", wanted["name"]] if "name" in wanted else []
    app = [wanted["app"]] if "app" in wanted else []
    if not check and not (app and name):
        print("usage: make migrations app=<app> name=<what it does>", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as home:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")}
        environ |= {"POSTERN_HOME": home, "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings"}
        environ.pop("DATABASE_URL", None)
        argv = [str(BIN / "python"), "-m", "django", "makemigrations", *app, *name, *check]
        return subprocess.run(argv, cwd=ROOT / "server", env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
