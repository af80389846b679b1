"""Settings from a YAML file."""

from pathlib import Path

from longstop.settings.faults import Origin, Rank
from longstop.settings.keys import Catalog, Key
from longstop.settings.kinds import Unusable, read_plain
from longstop.settings.layers import Given, Layer
from longstop.settings.suggest import is_name, nearest_path
from longstop.settings.yaml_tree import BadYaml, Entry, Mapping, Node, Scalar, read_yaml

BYTES_MAX = 1024 * 1024
# Beyond this many strange names the file is another one, and searching for what was meant only costs time.
SUGGESTIONS_MAX = 30


def read_file(path: Path, catalog: Catalog) -> Layer:
    """Everything the file gives. Whatever is wrong with it becomes a fault, never another exception."""
    reader = _FileReader(path, catalog)
    try:
        root = read_yaml(_decoded(_bytes(path)))
    except BadYaml as bad:
        reader.layer.refuse(reader.at(bad.line), "", bad.problem, bad.remedy)
    else:
        reader.take(root)
    return reader.layer


class _FileReader:
    """Walks the file beside the catalog."""

    def __init__(self, path: Path, catalog: Catalog) -> None:
        self.layer = Layer()
        self._path = path
        self._catalog = catalog
        self._unknown = 0

    def at(self, line: int) -> Origin:
        return Origin(Rank.FILE, str(self._path), line)

    def take(self, root: Node | None) -> None:
        if root is None or _is_nothing(root):
            return
        if isinstance(root, Mapping):
            self._group(root, "")
        else:
            self.layer.refuse(
                self.at(root.line), "", "the file holds no groups of settings", "begin it with lines such as api:"
            )

    def _group(self, mapping: Mapping, group: str) -> None:
        seen: dict[str, int] = {}
        for entry in mapping.entries:
            path = f"{group}.{entry.name}" if group else entry.name
            if entry.name in seen:
                shown = path if is_name(path) else ""
                self.layer.refuse(
                    self.at(entry.line), shown, f"stands in line {seen[entry.name]} too", "keep one of the two"
                )
            seen.setdefault(entry.name, entry.line)
            self._entry(entry, path, group)

    def _entry(self, entry: Entry, path: str, group: str) -> None:
        # A name with a dot would look like a path deeper in the tree.
        is_plain = "." not in entry.name and entry.name != ""
        if is_plain and path in self._catalog.keys:
            self._value(entry, self._catalog.keys[path])
        elif is_plain and path in self._catalog.groups:
            self._inner(entry, path)
        else:
            self._unknown_name(entry, path, group)

    def _inner(self, entry: Entry, path: str) -> None:
        if isinstance(entry.value, Mapping):
            self._group(entry.value, path)
        elif not _is_nothing(entry.value):
            self.layer.refuse(
                self.at(entry.line), path, "is a group, not a single value", "put its settings under it, indented"
            )

    def _value(self, entry: Entry, key: Key) -> None:
        origin = self.at(entry.line)
        try:
            self.layer.given[key.path] = Given(_read(key, entry.value), origin)
        except Unusable as wrong:
            self.layer.refuse_value(origin, key, wrong)

    def _unknown_name(self, entry: Entry, path: str, group: str) -> None:
        origin = self.at(entry.line)
        if not is_name(entry.name):
            self.layer.refuse(
                origin,
                "",
                f"a name in {group or 'the file'} is not one",
                "write name: value, with a space after the colon",
            )
            return
        self._unknown += 1
        meant = nearest_path(entry.name, group, self._catalog) if self._unknown <= SUGGESTIONS_MAX else None
        if meant == path:
            self.layer.refuse(origin, path, "is written with dots", "write it nested, one group a line")
            return
        self.layer.refuse(
            origin, path, "is not a setting", f"did you mean {meant}" if meant else "remove it, or see docs/settings.md"
        )


def _read(key: Key, node: Node) -> object:
    if key.kind.item is None or (isinstance(node, Scalar) and _is_nothing(node)):
        return _scalar(key, node)
    if isinstance(node, (Scalar, Mapping)):
        raise Unusable("is not a list", "in square brackets or one - a line")
    if not all(isinstance(item, Scalar) for item in node.items):
        raise Unusable("holds more than single values")
    kind = key.kind.item
    return tuple(
        read_plain(kind, item.text, is_quoted=item.is_quoted) for item in node.items if isinstance(item, Scalar)
    )


def _scalar(key: Key, node: Node) -> object:
    if not isinstance(node, Scalar):
        raise Unusable("is a group or a list where one value belongs")
    return read_plain(key.kind, node.text, is_quoted=node.is_quoted)


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.is_quoted and node.text in {"", "~", "null", "Null", "NULL"}


def _bytes(path: Path) -> bytes:
    remedy = "check the path given by --config or LONGSTOP_CONFIG"
    try:
        if not path.exists():
            raise BadYaml(0, "there is no such file", remedy)
        if not path.is_file():
            raise BadYaml(0, "is not a file", remedy)
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    except PermissionError:
        raise BadYaml(0, "may not be read by this user", "change its owner or mode, or name another file") from None
    except (OSError, ValueError):
        raise BadYaml(0, "cannot be read", remedy) from None
    if len(content) > BYTES_MAX:
        raise BadYaml(0, "is larger than 1 MiB", "look whether it is the right file")
    return content


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadYaml(
            content.count(b"\n", 0, error.start) + 1, "the text is not UTF-8", "save the file as UTF-8"
        ) from None
    for number, row in enumerate(text.split("\n"), 1):
        if any((ord(c) < 32 and c not in "\t\r") or ord(c) == 127 for c in row):
            raise BadYaml(
                number, "there is a character that cannot be printed", "remove it, or save the file as UTF-8 text"
            )
    return text
