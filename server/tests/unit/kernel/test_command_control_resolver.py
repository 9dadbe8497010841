"""Which commands a line runs, topic by topic."""

import pytest

from postern.kernel.command_control.resolver import Resolution, resolve
from postern.kernel.command_control.state import ShellState
from postern.kernel.command_control.verdict import Reason


def typed(*lines: str) -> Resolution:
    """The last line, after the others ran in the same shell."""
    state = ShellState()
    resolved = [resolve(line, state) for line in lines]
    return resolved[-1]


def texts(*lines: str) -> list[str]:
    return [command.text for command in typed(*lines).commands]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("""w'i'"pe"\\it "a  b" 'c'""", ["wipeit a  b c"]),
        ("$'w\\x69pe\\151t'", ["wipeit"]),
        ("echo {a,b{1..2}}c", ["echo ac b1c b2c"]),
        ("echo ~/x *.c [ab]?", ["echo /…/x *.c [ab]?"]),
        ("echo '' \"\"", ["echo  "]),
        ("a=1 b='x y' cmd $nothing \"$b\"", ["cmd … …"]),
        ("ls # wipeit", ["ls"]),
    ],
)
def test_words_are_those_that_the_shell_passes_on(line: str, expected: list[str]) -> None:
    assert texts(line) == expected


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("x=wipeit; echo ${x:2:3}", "pei"), ("x=wipeit; echo ${x#w?}", "peit"), ("x=a/b/c; echo ${x##*/}", "c"),
        ("x=a.b.c; echo ${x%%.*}", "a"), ("x=aXbX; echo ${x//X/-}", "a-b-"), ("x=ab; echo ${x^^}", "AB"), ("x=AB; echo ${x,}", "aB"),
        ("x=y; y=z; echo ${!x}", "z"), ("x=(a b c); echo ${x[1]}", "b"), ("x=(a b); echo ${#x[@]}", "2"), ("x=abc; echo ${#x}", "3"),
        ("echo ${x:-d}", "d"), ("echo ${PATH:0:1}", "/"), ("set -- a b; echo $2", "b"), ("x=a; x+=b; echo $x", "ab"),
        ("echo $((2*(3+4)))", "14"), ("x=5; echo $((x%3))", "2"), ("IFS=:; x=a:b; echo $x", "a b"),
    ],
)  # fmt: skip
def test_values_are_computed_as_the_shell_does(line: str, word: str) -> None:
    assert texts(line)[-1] == f"echo {word}"


def test_a_value_that_may_not_have_been_set_means_both() -> None:
    assert texts("x=a; false && x=b; echo $x") == ["false", "echo a", "echo b"]
    assert texts("x=a; if false; then x=b; fi; echo $x") == ["false", "echo a", "echo b"]
    assert texts('x=a; false && x=b; sh -c "echo $x"')[-1] == "echo b"
    assert texts("x=a; false && x=b; y=$x; echo $y")[-1] == "echo …"


def test_a_subshell_does_not_change_the_values_of_the_shell() -> None:
    assert texts("x=a; (x=b); echo $x") == ["echo a"]
    assert texts("x=a; : $(x=b); echo $x")[-1] == "echo a"


def test_a_readonly_value_stays() -> None:
    assert texts("readonly x=a", "x=b", "echo $x") == ["echo a"]


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("sudo -u app -- wipeit x", "wipeit x"), ("env -u A B=1 wipeit", "wipeit"), ("timeout -k 5 9 wipeit", "wipeit"),
        ("docker run --rm -v /:/h -it alpine wipeit a", "wipeit a"), ("kubectl -n a exec pod -c b -- wipeit", "wipeit"),
        ("ssh -p 22 -l app host wipeit 'a b'", "wipeit a b"), ("find . -name x -exec wipeit {} +", "wipeit …"),
        ("su - app -c 'wipeit a'", "wipeit a"), ("xargs -n 1 wipeit", "wipeit …"), ("flock -n /tmp/l wipeit", "wipeit"),
        ("systemd-run --unit=a -p B=c wipeit", "wipeit"), ("/lib64/ld-linux-x86-64.so.2 /bin/wipeit", "/bin/wipeit"),
        ("git -c core.pager='wipeit a' log", "wipeit a"), ("tar -cf a b --checkpoint-action=exec=wipeit", "wipeit"),
        ("busybox wipeit", "wipeit"), ("vim -c ':!wipeit a' b", "wipeit a"), ("awk 'BEGIN { system(\"wipeit\") }'", "wipeit"),
        ("PAGER=wipeit man ls", "wipeit"), ("ssh -o 'ProxyCommand=wipeit a' b", "wipeit a"), ("at now <<< wipeit", "wipeit"),
    ],
)  # fmt: skip
def test_the_command_inside_a_wrapper_is_a_command_of_its_own(line: str, inner: str) -> None:
    assert inner in texts(line)
    assert len(texts(line)) > 1


@pytest.mark.parametrize(
    "line",
    [
        "echo wipeit | sh", "printf 'wipe%s' it | bash", "base64 -d <<< d2lwZWl0 | sh", "echo tiepiw | rev | sh", "sh <<< wipeit",
        "tr a-z n-za-m <<< jvcrvg | sh", "xxd -r -p <<< 776970656974 | sh", "sed s/x/w/ <<< xipeit | sh", "eval $(echo wipeit)",
        "bash <(echo wipeit)", "echo wipeit | xargs -I% sh -c %", "echo wipeit > f; sh f", "cut -c2- <<< xwipeit | sh",
        "while read c; do $c; done <<< wipeit", "source /dev/stdin <<< wipeit", "exec 3<<< wipeit; sh <&3",
    ],
)  # fmt: skip
def test_known_output_is_followed_into_what_runs_it(line: str) -> None:
    assert "wipeit" in texts(line)
    assert not typed(line).unresolved


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("$EDITOR file", Reason.UNKNOWN_PROGRAM), ("curl http://h | sh", Reason.UNKNOWN_CODE), ('sh -c "$x"', Reason.UNKNOWN_CODE),
        ('eval "$(curl h)"', Reason.UNKNOWN_CODE), ("curl -o f h; sh f", Reason.UNKNOWN_CODE), ("!!", Reason.UNKNOWN_HISTORY),
        ("python3 -c 'import os; os.system(chr(97))'", Reason.UNKNOWN_CODE), ("$(curl h) x", Reason.UNKNOWN_PROGRAM),
    ],
)  # fmt: skip
def test_what_cannot_be_known_is_named(line: str, reason: Reason) -> None:
    assert reason in [unresolved.reason for unresolved in typed(line).unresolved]


@pytest.mark.parametrize(
    "line", ["ls $DIR", "ssh $HOST uptime", "$JAVA_HOME/bin/java -jar a", "kill $(cat a.pid)", "bash deploy.sh"]
)
def test_unknown_arguments_leave_a_line_resolved(line: str) -> None:
    assert not typed(line).unresolved


def test_an_alias_counts_from_the_next_line_on() -> None:
    assert texts("alias a=wipeit; a") == ["alias a=wipeit", "a"]
    assert texts("alias a=wipeit", "a b") == ["wipeit b"]
    assert texts("alias n='nice ' w=wipeit", "n w") == ["nice wipeit", "wipeit"]
    assert texts("alias a=wipeit", r"\a") == ["a"]


def test_a_function_runs_with_its_arguments() -> None:
    assert texts("f() { $1 $2; }", "f wipeit x") == ["f wipeit x", "wipeit x"]
    assert texts("function g { for a; do wipeit $a; done; }", "g 1 2") == ["g 1 2", "wipeit 1", "wipeit 2"]


def test_aliases_do_not_reach_a_nested_shell() -> None:
    assert texts("alias wipeit=ls", "bash -c wipeit") == ["bash -c wipeit", "wipeit"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("echo a b", "!!"), "echo a b"), (("echo a b", "cat !$"), "cat b"), (("echo a b", "^a^c^"), "echo c b"),
        (("echo a;ls", "wipeit !!:1"), "wipeit a"), (("ls x", "echo 1", "!l"), "ls x"), (("ls /a/b", "cat !$:t"), "cat b"),
        (("echo a b c", "cat !!:1-2"), "cat a b"), (("echo a", "ls", "!-2:s/a/b/"), "echo b"), (("ls a", "echo '!!'"), "echo !!"),
    ],
)  # fmt: skip
def test_history_references_are_replaced(lines: tuple[str, ...], expected: str) -> None:
    assert texts(*lines)[0] == expected


@pytest.mark.parametrize(
    "line",
    ["rm \\", "echo 'a", 'echo "a', "cat <<E", "if true", "a &&", "a |", "f() {", "(", "echo $(", "for a in b; do"],
)
def test_an_unfinished_line_is_open(line: str) -> None:
    assert typed(line).is_open


def test_open_text_is_judged_with_the_next_line() -> None:
    assert texts("wip\\", "eit a") == ["wipeit a"]
    assert texts("sh <<E", "wipeit", "E")[-1] == "wipeit"
    assert texts("for a in wipeit", "do $a", "done") == ["wipeit"]


def test_a_here_document_is_data_for_other_programs() -> None:
    assert texts("cat <<E\nwipeit\nE") == ["cat << E"]
    assert texts("cat <<E\n$(wipeit)\nE") == ["wipeit", "cat << E"]
    assert texts("cat <<'E'\n$(wipeit)\nE") == ["cat << E"]
    assert texts("cat <<A; tr a b <<B; ls\nx\nA\ny\nB\nwipeit") == ["cat << A", "tr a b << B", "ls", "wipeit"]


def test_copies_and_links_keep_their_name() -> None:
    assert typed("cp /bin/wipeit a", "ln -s a b", "./b x").commands[-1].copies_of == ("a", "wipeit")
    assert typed("hash -p /bin/wipeit a", "a").commands[-1].copies_of == ("wipeit",)


def test_interactive_shells_are_reported() -> None:
    assert typed("bash").started_shells == (True,)
    assert typed("ssh host").started_shells == (False,)
    assert typed("sudo -i").started_shells == (False,)
    assert typed("bash -c ls").started_shells == ()
    assert typed("exit").left_shell


@pytest.mark.parametrize(
    "line",
    [
        "grep -o wipeit <<< xwipeitx | sh", "dd bs=1 skip=1 <<< xwipeit | sh", "python3 -c 'print(\"wipeit\"); print(\"x\")' | sh",
        "perl -e 'print \"@ARGV\"' wipeit | sh", "find . -name x -printf 'wipeit\\n' | sh", "$(ls d) x", "tr -s xi wi <<< xipeeit | sh",
        "cat -A <<< wipeit | sh", "sed -n 2p <<< $'a\\nwipeit' | sh", "cut --complement -c1 <<< xwipeit | sh", "openssl enc -d <<< x | sh",
    ],
)  # fmt: skip
def test_output_that_is_not_certain_is_unknown_when_it_is_run(line: str) -> None:
    assert typed(line).unresolved


def test_several_scripts_of_sed_are_applied_in_turn() -> None:
    assert texts("sed -e s/x/w/ -e s/y/t/ <<< xipeiy | sh")[-1] == "wipeit"


@pytest.mark.parametrize(
    "lines",
    [
        ("x=wipeit; f() { local x=ls; }; f; $x",), ("x=wipeit; { x=ls; } | cat; $x",), ("x=wipeit; echo | { x=ls; }; $x",),
        ("x=wipeit; echo ls | read x; $x",), ("echo wipeit | read x; $x",), ("x=wipeit; x=ls & $x",), ("x=wipeit; x=ls true; $x",),
        ("alias z=wipeit", "false && alias z=ls", "z"), ("f() { wipeit; }; (f() { ls; }); f",), ("x=wipeit; : | x=ls; $x",),
        ("f() { wipeit; }; false && f() { ls; }; f",), ("x=wipeit; for i in 1; do break; x=ls; done; $x",), ("x=wipeit; set x ls; $x",),
    ],
)  # fmt: skip
def test_a_change_that_does_not_reach_the_shell_hides_nothing(lines: tuple[str, ...]) -> None:
    assert "wipeit" in [text.split()[0] for text in texts(*lines) if text]


@pytest.mark.parametrize("lines", [("echo wipeit", " ls x", "!!:1"), ("echo wipeit", "ls", "ls", "!-2")])
def test_a_line_that_the_history_may_leave_out_makes_references_unknown(lines: tuple[str, ...]) -> None:
    assert Reason.UNKNOWN_HISTORY in [unresolved.reason for unresolved in typed(*lines).unresolved]
