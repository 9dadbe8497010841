"""Several processes send mail, and one is killed with -9 between the server's 250 and its own commit."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection

from factories.mail import use_mail_server
from peers import mail_sender
from peers.mail_server import Mailbox, serving
from postern.apps.notifications import notices
from postern.apps.notifications.models import DeliveryState, MessageDelivery
from postern.apps.sessions.terminals.events import TerminalLost
from postern.apps.users.models import User
from postern.kernel import clock

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[[float], "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes that send mail, with the key file of this installation."""
    processes: list[subprocess.Popen[bytes]] = []

    def run(lease_s: float) -> "subprocess.Popen[bytes]":
        arguments = [str(connection.settings_dict["NAME"]), str(settings.POSTERN.home), str(lease_s)]
        processes.append(subprocess.Popen([sys.executable, str(Path(str(mail_sender.__file__))), *arguments]))
        return processes[-1]

    yield run
    for process in processes:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


def wait_for(is_so: Callable[[], bool]) -> None:
    until_s = clock.monotonic_s() + 60
    while not is_so():
        assert clock.monotonic_s() < until_s
        time.sleep(0.05)


def all_accepted() -> bool:
    return not MessageDelivery.objects.exclude(state=DeliveryState.ACCEPTED).exists()


def test_several_processes_send_each_message_once(start: Start, make_user: Callable[..., User]) -> None:
    for number in range(30):
        make_user(f"admin{number}", role="Admin")
    mailbox = Mailbox()
    with serving(mailbox) as port:
        use_mail_server(port)
        notices.on_terminal_lost(TerminalLost(terminal_id=uuid4(), name="proxy-1"))
        for _process in range(3):
            start(60)
        wait_for(all_accepted)
    counts = Counter(received.recipient for received in mailbox.received)
    assert len(counts) == 30
    assert set(counts.values()) == {1}


def test_message_of_a_killed_process_is_sent_again_with_the_same_id(
    start: Start, make_user: Callable[..., User]
) -> None:
    make_user("adam", role="Admin")
    mailbox = Mailbox()
    with serving(mailbox) as port:
        use_mail_server(port)
        notices.on_terminal_lost(TerminalLost(terminal_id=uuid4(), name="proxy-1"))
        sender = start(3)

        def kill() -> None:
            sender.kill()
            sender.wait()

        mailbox.before_answer = kill
        wait_for(lambda: sender.poll() is not None)
        mailbox.before_answer = lambda: None
        row = MessageDelivery.objects.get()
        assert (row.state, row.tries) == ("waiting", 1), "nobody has written that it was accepted"
        start(3)
        wait_for(all_accepted)
    assert len(mailbox.received) == 2
    ids = {received.message["Message-ID"] for received in mailbox.received}
    assert ids == {f"<{row.mail_id}>"}, "the receiver can drop the second copy"
    assert MessageDelivery.objects.get().tries == 2
