"""What looks like a secret is hidden, and ordinary lines stay as they are."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.kernel.secret_patterns import HIDDEN, masked, masked_with, secret_ranges

KEY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"

#: Line → the line as it is shown; `#` marks what is hidden.
HIDES = {
    "mysql -u root -phunter2 shop": "mysql -u root -p# shop",
    "mysqldump --single-transaction -p'hunter 2' shop": "mysqldump --single-transaction -p'#' shop",
    "psql postgres://app:p@ss:word@db:5432/shop": "psql postgres://app:#@db:5432/shop",
    "git clone https://ann:hunter2@git.example/x.git": "git clone https://ann:#@git.example/x.git",
    "export DB_PASSWORD=hunter2": "export DB_PASSWORD=#",
    "PGPASSWORD='a b c' psql": "PGPASSWORD='#' psql",
    "MYSQL_PWD=hunter2 mysql": "MYSQL_PWD=# mysql",
    'password: "hunter 2"': 'password: "#"',
    '{"password":"hunter 2","token":null}': '{"password":"#","token":null}',
    "app --password=hunter2 --host db": "app --password=# --host db",
    "app --db-password hunter2 --host db": "app --db-password # --host db",
    "curl -u ann:hunter2 https://x.example": "curl -u ann:# https://x.example",
    "curl -H 'Authorization: Bearer abcdefgh1234' x": "curl -H 'Authorization: Bearer #' x",
    "curl -H 'Authorization: Basic YW5uOmh1bnRlcjI=' x": "curl -H 'Authorization: Basic #' x",
    "curl -H 'X-Api-Key: 77aa' x": "curl -H 'X-Api-Key: #' x",
    "sshpass -p hunter2 ssh web": "sshpass -p # ssh web",
    "echo 'root:hunter2' | chpasswd": "echo 'root:#' | chpasswd",
    "redis-cli -h db -a hunter2 ping": "redis-cli -h db -a # ping",
    "docker login -u ann -p hunter2 reg.example": "docker login -u ann -p # reg.example",
    "openssl rsa -passin pass:hunter2 -in k.pem": "openssl rsa -passin pass:# -in k.pem",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG": "aws_secret_access_key = #",
    "git push https://ghp_abcdefghijklmnopqrstuvwxyz0123@github.com/x": "git push https://#@github.com/x",
    "token eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJ end": "token # end",
    f"cat id\n-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\n-----END OPENSSH PRIVATE KEY-----\n$ ": (
        "cat id\n-----BEGIN OPENSSH PRIVATE KEY-----\n#\n-----END OPENSSH PRIVATE KEY-----\n$ "
    ),
    f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\nthe output ended he": "-----BEGIN RSA PRIVATE KEY-----\n#",
    KEY: "#",
    "password\thunter2": "password\t#",
    "db\troot\ttoken\thunter2\tend": "db\troot\ttoken\t#\tend",
    "  password        hunter2  ": "  password        #  ",
    "CREATE USER ann WITH ENCRYPTED PASSWORD 'hunter 2' LOGIN;": "CREATE USER ann WITH ENCRYPTED PASSWORD '#' LOGIN;",
    "alter role ann password 'hunter2'": "alter role ann password '#'",
    "SET PASSWORD FOR ann = PASSWORD('hunter2');": "SET PASSWORD FOR ann = PASSWORD('#');",
    "CREATE USER ann IDENTIFIED BY 'hunter2';": "CREATE USER ann IDENTIFIED BY '#';",
    "CREATE USER ann IDENTIFIED WITH caching_sha2_password BY 'hunter2';": (
        "CREATE USER ann IDENTIFIED WITH caching_sha2_password BY '#';"
    ),
    "create user ann identified by hunter2 quota 1": "create user ann identified by # quota 1",
    "API key: hunter2": "API key: #",
    "Your API Key = hunter2": "Your API Key = #",
    '"password" : "hunter2"': '"password" : "#"',
    '"password"       :    "hunter2", "a": 1': '"password"       :    "#", "a": 1',
    '"{\\"password\\": \\"hunter2\\"}"': '"{\\"password\\": \\"#"}"',
    "password=no-hunter2": "password=#",
    "password=true.hunter2": "password=#",
    "token: prompt/hunter2": "token: #",
    "密码 password=秘密123 结束": "密码 password=# 结束",
    "İİ password=hunter2": "İİ password=#",
}
STAYS = (
    "mysql -u root -p shop",
    "Password: ",
    "[sudo] password for ann:",
    "echo $PASSWORD",
    "app --password $PASSWORD",
    "token=${TOKEN}",
    "cat /etc/passwd",
    "PWD=/root",
    "OLDPWD=/home/ann",
    "kubectl get secrets",
    "secret/db created",
    "curl -u ann https://x.example",
    "https://x.example:8080/a@b",
    "git@github.com:postern/postern.git",
    "ssh-keygen -t ed25519 -f id",
    "a1" * 32,
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  file",
    "token: null",
    "password=none, user=x",
    "ask_token=true;",
    'password: "$PASSWORD"',
    "the user is identified by its name",
    "password (empty for none)",
    "ls -la /var/lib/private keys",
    "",
)


@pytest.mark.parametrize(("line", "shown"), HIDES.items())
def test_secret_is_hidden_and_nothing_else(line: str, shown: str) -> None:
    assert masked(line) == shown.replace("#", HIDDEN)


@pytest.mark.parametrize("line", STAYS)
def test_ordinary_line_stays(line: str) -> None:
    assert masked(line) == line


@given(st.text(string.printable + "İ价•", max_size=300))
def test_ranges_are_ordered_inside_the_text_and_never_overlap(text: str) -> None:
    ends = 0
    for start, end in secret_ranges(text):
        assert ends <= start < end <= len(text)
        ends = end


@given(
    st.sampled_from([line for line in HIDES if "\n" not in line and line != KEY]), st.sampled_from(["", "\n", "x\n"])
)
def test_lines_around_a_secret_do_not_show_it(line: str, around: str) -> None:
    shown = masked(f"{around}{line}\n{around}")
    assert "hunter2" not in shown
    assert HIDDEN in shown


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "pass",
        "password=",
        "://",
        "mysql ",
        "curl -u ",
        "-----BEGIN PRIVATE KEY-----",
        "Private-Lines: 1\n",
        "x:",
        "eyJa.",
    ],
)
def test_no_hostile_text_makes_a_pattern_run_for_ever(part: str) -> None:
    assert masked((part * 100_000)[:100_000])


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("mysql -p[hunter]2 shop", f"mysql -p[{HIDDEN}] shop"),
        ("mysql -phunter2 [shop]", f"mysql -p{HIDDEN} [shop]"),
        ("[mysql -phun]ter2 shop", f"[mysql -p{HIDDEN}] shop"),
        ("mysql -p[hunter2 shop]", f"mysql -p[{HIDDEN} shop]"),
        ("[mysql -p]hunter2 shop", f"[mysql -p]{HIDDEN} shop"),
        ("A_TOKEN=aa B_TOKEN=[bbbb] [end]", f"A_TOKEN={HIDDEN} B_TOKEN=[{HIDDEN}] [end]"),
        ("[plain]", "[plain]"),
    ],
)
def test_marks_stay_where_they_were_and_show_nothing_of_a_secret(line: str, marked: str) -> None:
    spans, plain = [], line
    while "[" in plain:
        start = plain.index("[")
        plain = plain[:start] + plain[start + 1 :]
        end = plain.index("]")
        plain = plain[:end] + plain[end + 1 :]
        spans.append((start, end))
    text, moved = masked_with(plain, spans)
    for start, end in reversed(moved):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    assert text == marked
