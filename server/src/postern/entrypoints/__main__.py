"""`python -m postern.entrypoints`: the `postern` command, or (`exec`) another program that ends with the supervisor."""

import sys

from postern.entrypoints.supervisor import follow_supervisor

if sys.argv[1:2] == ["exec"]:
    follow_supervisor()
    from postern.entrypoints.up import become
    from postern.foundation.machine.private_files import make_private

    make_private()
    become(sys.argv[2:])
else:
    from postern.entrypoints.cli import main

    sys.exit(main())
