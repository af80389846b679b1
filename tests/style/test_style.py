"""The checker on small bad samples, so that a rule that finds nothing is noticed; then the house itself."""

import textwrap
from pathlib import Path

import pytest

from tests.style import checker
from tests.style.checker import Source


def faults(text: str, path: str = "src/longstop/fetch/http.py") -> list[str]:
    return [fault.text for fault in checker.faults_of(Source(path, textwrap.dedent(text)))]


def function_of(lines: int, name: str = "f") -> str:
    return f"def {name}():\n" + "    x = 1\n" * (lines - 1)


BAD = {
    "a long function": (function_of(61), "has 61 lines"),
    "a long file": ("x = 1\n" * 401, "the file has 401 lines"),
    "a long line": ("x = '" + "y" * 120 + "'\n", "characters, at most 120"),
    "too many parameters": ("def f(a, b, c, d, e, *, g, h, i, j): ...\n", "takes 9 parameters"),
    "a bare except": ("try:\n    x = 1\nexcept:\n    pass\n", "a broad except"),
    "an except of Exception": ("try:\n    x = 1\nexcept Exception:\n    pass\n", "a broad except"),
    "one hidden in a tuple": ("try:\n    x = 1\nexcept (OSError, BaseException):\n    pass\n", "a broad except"),
    "one hidden in a suppress": ("with contextlib.suppress(Exception):\n    x = 1\n", "suppress of everything"),
    "a print": ("print('here')\n", "only commands speak"),
    "a note of something undone": ("x = 1  # " + "TO" + "DO: finish\n", "something undone"),
    "a noqa without a code": ("x = 1  # no" + "qa\n", "noqa needs its code"),
    "a noqa without a reason": ("x = 1  # no" + "qa: S101\n", "noqa needs its code"),
    "an ignore without a code": ("x = 1  # type" + ": ignore\n", "type: ignore needs"),
    "an ignore without a reason": ("x = 1  # type" + ": ignore[arg-type]\n", "type: ignore needs"),
    "what does not parse": ("def f(:\n", "does not parse"),
}


@pytest.mark.parametrize("sample", BAD)
def test_the_checker_finds_what_is_bad(sample: str) -> None:
    text, expected = BAD[sample]
    assert [fault for fault in faults(text) if expected in fault], faults(text)


GOOD = {
    "a long line whose end is a reason": "x = '" + "y" * 100 + "'  # no" + "qa: S101 - " + "why " * 20 + "\n",
    "a function at the limit": function_of(60),
    "eight parameters and self": "class C:\n    def f(self, a, b, c, d, e, g, h, i): ...\n",
    "a narrow except": "try:\n    x = 1\nexcept (OSError, ValueError):\n    pass\n",
    "a noqa with its reason": "x = 1  # no" + "qa: S101, S102 - the sample\n",
    "an ignore with its reason": "x = 1  # type" + ": ignore[arg-type]  # the sample\n",
    "the word in a string": "x = 'TO" + "DO'\n",
}


@pytest.mark.parametrize("sample", GOOD)
def test_the_checker_leaves_alone_what_is_good(sample: str) -> None:
    assert faults(GOOD[sample]) == []


def test_supervision_may_catch_everything() -> None:
    text = "try:\n    x = 1\nexcept Exception:\n    pass\n"
    assert faults(text, "src/longstop/supervise/supervisor.py") == []


@pytest.mark.parametrize("path", ["src/longstop/cli.py", "src/longstop_origin/commands.py", "scripts/diagrams.py"])
def test_commands_and_scripts_may_print(path: str) -> None:
    assert faults("print('here')\n", path) == []


@pytest.mark.parametrize("path", ["src/longstop/utils.py", "src/longstop/core/http.py", "tests/helpers.py"])
def test_a_name_that_says_nothing_is_found(path: str) -> None:
    assert any("says nothing" in fault for fault in faults("x = 1\n", path))


def test_a_test_that_is_no_sentence_is_found() -> None:
    text = "def test_sqlite():\n    assert True\n"
    assert any("is no sentence" in fault for fault in faults(text, "tests/unit/test_store.py"))


def test_the_figures_of_the_whole_house_are_held() -> None:
    long = [Source(f"src/longstop/a{number}.py", function_of(20) + "x = 1\n" * 140) for number in range(5)]
    texts = [fault.text for fault in checker.distribution(long)]
    assert texts == ["median function: 20 lines, at most 8", "median file: 160 lines, at most 150"]


def test_a_tail_of_long_functions_is_found() -> None:
    short = "".join(function_of(3, f"f{number}") for number in range(9))
    texts = [fault.text for fault in checker.distribution([Source("src/longstop/a.py", short + function_of(50))])]
    assert texts == ["95th percentile of functions: 50 lines, at most 45"]


@pytest.mark.parametrize("folder", ["work/main", "home/someone", "root", "tmp/w/x"])
def test_a_path_of_one_machine_is_found(folder: str) -> None:
    assert list(checker.machine_paths("docs/runbook.md", f"see /{folder}/file\n"))


@pytest.mark.parametrize("text", ["../shared/home/x", "GET /homepage/x", "https://example.org/home/x", "{base}/home/x"])
def test_a_path_of_a_site_is_left_alone(text: str) -> None:
    assert not list(checker.machine_paths("docs/runbook.md", text))


def test_an_address_in_a_lock_is_found() -> None:
    line = "--index-url https" + "://packages.invalid/simple\n"
    assert list(checker.addresses_in_locks("requirements/run.lock", line))
    assert not list(checker.addresses_in_locks("docs/a.md", line))


def test_faults_are_found_in_a_folder_on_disk(tmp_path: Path) -> None:
    (tmp_path / "src" / "longstop").mkdir(parents=True)
    (tmp_path / "src" / "longstop" / "http.py").write_text("print('here')\n", encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bad.py").write_text("print('not ours')\n", encoding="utf-8")
    assert [fault.place for fault in checker.faults_in(tmp_path)] == ["src/longstop/http.py:1"]


def test_what_git_writes_for_a_worktree_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: " + "/home" + "/someone/longstop/.git/worktrees/x\n", encoding="utf-8")
    assert checker.faults_in(tmp_path) == []


def test_the_house_keeps_its_style() -> None:
    found = checker.faults_in(checker.ROOT)
    assert not found, "\n".join(map(str, found))
