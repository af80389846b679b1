"""The YAML file: strict, bounded, and every refusal with its line."""

import pytest

from longstop.settings import Loaded

# text of a value for scraper.lifecycle.polling_interval (a number)
NUMBERS = {
    "2.5": 2.5, "3": 3, "+3": 3, "3.": 3, ".5": 0.5, "5e-1": 0.5, "3 # comment": 3,
    '"2.5"': None, "'3'": None, "true": None, "yes": None, "null": None, "~": None, "": None, ".inf": None,
    ".nan": None, "1e400": None, "0x10": None, "010": None, "1_0": None, "3,5": None, "2.5s": None, "[3]": None,
    "{a: 3}": None, "٣": None, "-2.5": None, "0": None, "1:30": None, "2024-01-01": None, "|\n      3": None,
}  # fmt: skip
# text of a value for api.port (a whole number)
WHOLES = {"8001": 8001, "0": 0, "8001.0": None, "8e3": None, "65536": None, "-1": None, "true": None, "08": None}
# text of a value for scraper.browser.headless (true or false)
TRUTHS = {"true": True, "False": False, "yes": True, "off": False, "1": None, "0": None, '"true"': None, "maybe": None}
# text of a value for scraper.proxy.iproyal.host (text)
TEXTS = {
    "gate.test": "gate.test", '"5"': "5", "NO": "NO", "''": "", "on": "on", "5": None, "1e3": None, "true": None,
    "null": None, "": None, "0x1F": None, ".inf": None, "[a]": None, '"a\\nb"': None, '"\\0"': None, '"\\e[31m"': None,
}  # fmt: skip


def check(loaded, faults_of, template: str, path: str, text: str, value: object) -> None:
    """The value is found at its path, or (None) refused by one fault that names the path and the line."""
    whole = template.replace("VALUE", text)
    if value is None:
        (fault,) = faults_of(whole)
        assert f"given.yaml:{template.count(chr(10), 0, template.index('VALUE')) + 1} {path}: " in str(fault)
        return
    found: object = loaded(whole).settings
    for name in path.split("."):
        found = getattr(found, name)
    assert found == value
    assert isinstance(found, bool) == isinstance(value, bool)


@pytest.mark.parametrize(("text", "value"), NUMBERS.items())
def test_a_number_is_read_strictly(loaded, faults_of, text, value) -> None:
    template = "scraper:\n  lifecycle:\n    polling_interval: VALUE\n"
    check(loaded, faults_of, template, "scraper.lifecycle.polling_interval", text, value)


@pytest.mark.parametrize(("text", "value"), WHOLES.items())
def test_a_whole_number_is_read_strictly(loaded, faults_of, text, value) -> None:
    check(loaded, faults_of, "api:\n  port: VALUE\n", "api.port", text, value)


@pytest.mark.parametrize(("text", "value"), TRUTHS.items())
def test_a_truth_value_is_read_strictly(loaded, faults_of, text, value) -> None:
    check(loaded, faults_of, "scraper: {browser: {headless: VALUE}}", "scraper.browser.headless", text, value)


@pytest.mark.parametrize(("text", "value"), TEXTS.items())
def test_a_text_is_read_strictly(loaded, faults_of, text, value) -> None:
    path = "scraper.proxy.iproyal.host"
    check(loaded, faults_of, "scraper: {proxy: {iproyal: {host: VALUE}}}", path, text, value)


def test_a_list_is_read_strictly(loaded, faults_of) -> None:
    def hosts(text: str) -> tuple[str, ...]:
        found: Loaded = loaded(f"sources:\n  crex:\n    allowed_hosts: {text}\n")
        return found.settings.sources.crex.allowed_hosts

    assert hosts("[a.test, 127.0.0.1]") == ("a.test", "127.0.0.1")
    assert hosts("\n    - a.test\n    - b.test") == ("a.test", "b.test")
    assert hosts("[]") == ()
    for text in ("a.test", "[a.test, [b.test]]", "[5]", "{a: b}", "[a/b]", "", "[a.test, ]x"):
        assert len(faults_of(f"sources: {{crex: {{allowed_hosts: {text}}}}}")) == 1


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "~", "{}", "api:\n", "api: {}", "\ufeff"]
)
def test_a_file_that_says_nothing_leaves_the_defaults(loaded, text) -> None:
    assert set(map(str, loaded(text).origins.values())) == {"default"}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("api:\n  port: 1: 2", 2, "this is not YAML"),
        ("api:\n\tport: 1", 2, "indented with a tab"),
        ('api: {host: "a', 1, "this is not YAML"),
        ("\n- api", 2, "holds no groups"),
        ("just words", 1, "holds no groups"),
        ("42", 1, "holds no groups"),
        ("api: {}\n---\nsink: {}", 2, "second document"),
        ("api: &a {port: 1}", 1, "anchors"),
        ("api: {port: 1}\nsink: *a", 2, "aliases"),
        ("a: &a [x,x]\nb: &b [*a,*a]", 1, "anchors"),
        ("api: {port: !!int 5}", 1, "tags"),
        ("api: !!python/object:os.system {}", 1, "tags"),
        ("? [a, b]\n: 1", 1, "where a name belongs"),
        ("api:\n  port: 1\napi:\n  host: a", 3, "stands in line 1 too"),
        ("api:\n  port: 1\n  port: 1", 3, "stands in line 2 too"),
        ("api: 5", 1, "is a group"),
        ("api: [port]", 1, "is a group"),
        ("api.port: 5", 1, "nested"),
        ("'': 1", 1, "a name in the file"),
        ("<<: {port: 1}", 1, "a name in the file"),
        (b"api:\n  host: \xff", 2, "not UTF-8"),
        (b"api:\n  host: \x00", 2, "cannot be printed"),
        (b"\xff\xfea\x00", 1, "not UTF-8"),
        ("[" * 500000, 1, "levels than any"),
        ("- " * 100000, 1, "levels than any"),
        ("a: 1\n" * 100000, 2500, "more entries"),
        ("#" * (1024 * 1024 + 1), 0, "larger than 1 MiB"),
    ],
)
def test_a_file_that_cannot_be_read(faults_of, text, line, says) -> None:
    (fault,) = faults_of(text)
    assert says in str(fault)
    assert fault.origin.line == line


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("databse: {}", "database"),
        ("api: {prot: 1}", "api.port"),
        ("api: {Port: 1}", "api.port"),
        ("scraper: {lifecycle: {max_lifetime: 1}}", "scraper.lifecycle.max_lifetime_hours"),
        ("scraper: {lifecycle: {polling-interval: 1}}", "scraper.lifecycle.polling_interval"),
        ("polling_interval: 1", "scraper.lifecycle.polling_interval"),
        ("scraper: {polling_interval: 1}", "scraper.lifecycle.polling_interval"),
        ("POLLING_INTERVAL_SECONDS: 1", "scraper.lifecycle.polling_interval"),
        ("circuit_breaker: {threshold: 1}", "scraper.resilience.circuit_breaker"),
    ],
)
@pytest.mark.req("I5")
def test_an_unknown_key_is_refused_with_what_was_meant(faults_of, text, meant) -> None:
    (fault,) = faults_of(text)
    assert str(fault).endswith(f"did you mean {meant}?")


def test_a_key_like_no_other_is_refused_without_a_guess(faults_of) -> None:
    (fault,) = faults_of("zzz: 1")
    assert "see docs/settings.md" in str(fault)
