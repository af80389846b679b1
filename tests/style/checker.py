"""The house's numbers and habits, held by a program: `python -m tests.style.checker` or the test beside it.

What ruff can see is ruff's; here stands what it cannot. Every rule yields faults that say where and what to do.
"""

import ast
import io
import re
import statistics
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FUNCTION_LINES_MEDIAN = 8
FUNCTION_LINES_P95 = 45
FUNCTION_LINES_MAX = 60
FILE_LINES_MEDIAN = 150
FILE_LINES_MAX = 400
LINE_LENGTH_MAX = 120
PARAMETERS_MAX = 8
TEST_NAME_WORDS_MIN = 4

EMPTY_NAMES = frozenset({"utils", "util", "common", "core", "base", "helpers", "helper", "manager", "managers", "misc"})
MAY_CATCH_ALL = "src/longstop/supervise/"
MAY_PRINT = re.compile(
    r"^(scripts|benchmarks)/|^tests/style/checker\.py$|^src/\w+/(cli\.py|commands\.py|(cli|commands)/)"
)

_SKIPPED = {".git", ".venv", ".hypothesis", "var", "build", "dist", "node_modules", "__pycache__"}
_TEXT_SUFFIXES = {"", *re.findall(r"\.\w+", ".py .md .toml .yaml .yml .json .sh .lock .in .cfg .ini .html .js .css")}
_MACHINE_PATH = re.compile(r"(?<![\w.~>)}-])/(?:work|home|root|tmp/w)/")
_ADDRESS = re.compile(r"\b\w+://")
_UNDONE = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
_NOQA = re.compile(r"#\s*(?:ruff:\s*)?noqa\b")
_NOQA_WHOLE = re.compile(r"#\s*(?:ruff:\s*)?noqa:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*\s*[-–:#]+\s*\w+")
# What silences a linter must stand on its line, reason and all, and may make it longer.
_SILENCER = re.compile(r"\s*#\s*(?:type:\s*ignore|noqa)\b.*$")
_IGNORE = re.compile(r"#\s*type:\s*ignore\b")
_IGNORE_WHOLE = re.compile(r"#\s*type:\s*ignore\[[\w, -]+\]\s*#\s*\w+")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Fault:
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


@dataclass(frozen=True)
class Source:
    """One Python file, read once for all rules. `path` is relative to the project, with slashes."""

    path: str
    text: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def fault(self, line: int, text: str) -> Fault:
        return Fault(f"{self.path}:{line}", text)


# ---- one file ----


def long_functions(source: Source) -> Iterator[Fault]:
    for function in functions(source.tree):
        lines = length(function)
        if lines > FUNCTION_LINES_MAX:
            yield source.fault(function.lineno, f"{function.name} has {lines} lines, at most {FUNCTION_LINES_MAX}")


def long_files(source: Source) -> Iterator[Fault]:
    lines = source.text.count("\n")
    if lines > FILE_LINES_MAX:
        yield source.fault(1, f"the file has {lines} lines, at most {FILE_LINES_MAX}; split it by what happens in it")


def long_lines(source: Source) -> Iterator[Fault]:
    for number, line in enumerate(source.text.splitlines(), start=1):
        code = _SILENCER.sub("", line)
        if len(code) > LINE_LENGTH_MAX:
            yield source.fault(number, f"the line has {len(code)} characters, at most {LINE_LENGTH_MAX}")


def many_parameters(source: Source) -> Iterator[Fault]:
    if source.path.startswith("tests/"):
        return
    for function in functions(source.tree):
        named = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        count = sum(each.arg not in {"self", "cls"} for each in named)
        if count > PARAMETERS_MAX:
            text = f"{function.name} takes {count} parameters, at most {PARAMETERS_MAX}; gather them in a dataclass"
            yield source.fault(function.lineno, text)


def broad_excepts(source: Source) -> Iterator[Fault]:
    if source.path.startswith(MAY_CATCH_ALL):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler) and (node.type is None or _names_everything(node.type)):
            yield source.fault(node.lineno, "a broad except; only supervise/ may catch everything")
        if isinstance(node, ast.Call) and _called(node) == "suppress" and any(map(_names_everything, node.args)):
            yield source.fault(node.lineno, "suppress of everything; only supervise/ may catch everything")


def empty_names(source: Source) -> Iterator[Fault]:
    for part in Path(source.path).with_suffix("").parts:
        if part.strip("_").lower() in EMPTY_NAMES:
            yield source.fault(1, f"'{part}' says nothing; name the file after what happens in it")


def prints(source: Source) -> Iterator[Fault]:
    if MAY_PRINT.match(source.path):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield source.fault(node.lineno, "print; only commands speak to people, others emit a signal")


def comments_undone(source: Source) -> Iterator[Fault]:
    for line, comment in comments(source.text):
        if _UNDONE.search(comment):
            yield source.fault(line, "a note of something undone; do it, or write it into an issue")


def silenced_without_reason(source: Source) -> Iterator[Fault]:
    for line, comment in comments(source.text):
        if _NOQA.search(comment) and not _NOQA_WHOLE.search(comment):
            yield source.fault(line, "noqa needs its code and a reason: `noqa: ABC123 - why`")
        if _IGNORE.search(comment) and not _IGNORE_WHOLE.search(comment):
            yield source.fault(line, "type: ignore needs its code and a reason: `type: ignore[code]  # why`")


def test_names_too_short(source: Source) -> Iterator[Fault]:
    if not Path(source.path).name.startswith("test_"):
        return
    for function in functions(source.tree):
        words = function.name.removeprefix("test_").strip("_").split("_")
        if function.name.startswith("test_") and len(words) < TEST_NAME_WORDS_MIN:
            yield source.fault(function.lineno, f"{function.name} is no sentence: {TEST_NAME_WORDS_MIN} words or more")


FILE_RULES: tuple[Callable[[Source], Iterator[Fault]], ...] = (
    long_functions,
    long_files,
    long_lines,
    many_parameters,
    broad_excepts,
    empty_names,
    prints,
    comments_undone,
    silenced_without_reason,
    test_names_too_short,
)


# ---- the whole house ----


def distribution(sources: Sequence[Source]) -> Iterator[Fault]:
    """The figures that no single file can break."""
    # An empty `__init__.py` would make the median look better than the files that people read.
    sizes = [source.text.count("\n") for source in sources if source.text.strip()]
    lengths = sorted(length(function) for source in sources for function in functions(source.tree))
    figures = [
        ("median function", statistics.median(lengths) if lengths else 0, FUNCTION_LINES_MEDIAN),
        ("95th percentile of functions", lengths[int(len(lengths) * 0.95)] if lengths else 0, FUNCTION_LINES_P95),
        ("median file", statistics.median(sizes) if sizes else 0, FILE_LINES_MEDIAN),
    ]
    for name, found, bar in figures:
        if found > bar:
            yield Fault("src", f"{name}: {found:g} lines, at most {bar}")


def machine_paths(path: str, text: str) -> Iterator[Fault]:
    for number, line in enumerate(text.splitlines(), start=1):
        if _MACHINE_PATH.search(line):
            yield Fault(f"{path}:{number}", "a path of one machine; make it relative to the project")


def addresses_in_locks(path: str, text: str) -> Iterator[Fault]:
    if not path.startswith("requirements/"):
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if _ADDRESS.search(line):
            yield Fault(f"{path}:{number}", "an address; locks name versions and hashes only")


def faults_of(source: Source) -> list[Fault]:
    if not _parses(source):
        return [source.fault(1, "does not parse; ruff says where")]
    return [fault for rule in FILE_RULES for fault in rule(source)]


def faults_in(root: Path) -> list[Fault]:
    texts = list(_texts(root))
    sources = [Source(path, text) for path, text in texts if path.endswith(".py")]
    found = [fault for source in sources for fault in faults_of(source)]
    found += distribution([source for source in sources if source.path.startswith("src/") and _parses(source)])
    for path, text in texts:
        found += [*machine_paths(path, text), *addresses_in_locks(path, text)]
    return found


# ---- reading ----


def _parses(source: Source) -> bool:
    try:
        ast.parse(source.text)
    except SyntaxError:
        return False
    return True


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _names_everything(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return any(map(_names_everything, node.elts))
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in {"Exception", "BaseException"}


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    for path in _files(root):
        try:
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # a picture, or a file that another program removed in between


def _files(folder: Path) -> Iterable[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and path.name not in _SKIPPED:
            if not path.name.endswith(("_cache", ".egg-info")):
                yield from _files(path)
        elif path.is_file() and path.suffix in _TEXT_SUFFIXES and path.name not in _SKIPPED:
            yield path  # in a worktree of git, `.git` is a file that names a folder of this machine


def main() -> int:
    found = faults_in(ROOT)
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
