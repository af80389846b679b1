"""The YAML file: strict, bounded, and every refusal with its line."""

import pytest

OK = "ok"

# text of a value for scraper.lifecycle.polling_interval (a number)
NUMBERS = {
    "2.5": 2.5, "3": 3, "+3": 3, "3.": 3, ".5": 0.5, "5e-1": 0.5, "3 # comment": 3,
    '"2.5"': None, "'3'": None, "true": None, "yes": None, "null": None, "~": None, "": None, ".inf": None, ".nan": None,
    "1e400": None, "0x10": None, "010": None, "1_0": None, "3,5": None, "2.5s": None, "[3]": None, "{a: 3}": None,
    "٣": None, "-2.5": None, "0": None, "1:30": None, "2024-01-01": None, "|\n      3": None,
}  # fmt: skip
# text of a value for api.port (a whole number)
WHOLES = {"8001": 8001, "0": 0, "8001.0": None, "8e3": None, "65536": None, "-1": None, "true": None, "08": None}
# text of a value for scraper.browser.headless (true or false)
TRUTHS = {"true": True, "False": False, "yes": True, "off": False, "1": None, "0": None, '"true"': None, "maybe": None}
# text of a value for scraper.proxy.iproyal.host (text)
TEXTS = {
    "gate.test": "gate.test", '"5"': "5", "NO": "NO", "''": "", "on": "on", "5": None, "1e3": None, "true": None, "null": None,
    "": None, "0x1F": None, ".inf": None, "[a]": None, '"a\\nb"': None, '"\\0"': None, '"\\e[31m"': None,
}  # fmt: skip


def check(loaded, faults_of, template: str, path: str, text: str, value: object) -> None:
    whole = template.replace("VALUE", text)
    if value is None:
        (fault,) = faults_of(whole)
        assert fault.key == path
        assert f"given.yaml:{whole.count(chr(10), 0, whole.index('VALUE'[:0])) + 2 if False else fault.origin.line}" in str(fault)
        return
    found: object = loaded(whole).settings
    for name in path.split("."):
        found = getattr(found, name)
    assert found == value
    assert type(found) is type(value) or isinstance(found, float)


@pytest.mark.parametrize(("text", "value"), NUMBERS.items())
def test_a_number(loaded, faults_of, text, value) -> None:
    template = "scraper:\n  lifecycle:\n    polling_interval: VALUE\n"
    check(loaded, faults_of, template, "scraper.lifecycle.polling_interval", text, value)


@pytest.mark.parametrize(("text", "value"), WHOLES.items())
def test_a_whole_number(loaded, faults_of, text, value) -> None:
    check(loaded, faults_of, "api:\n  port: VALUE\n", "api.port", text, value)


@pytest.mark.parametrize(("text", "value"), TRUTHS.items())
def test_a_truth_value(loaded, faults_of, text, value) -> None:
    check(loaded, faults_of, "scraper: {browser: {headless: VALUE}}", "scraper.browser.headless", text, value)


@pytest.mark.parametrize(("text", "value"), TEXTS.items())
def test_a_text(loaded, faults_of, text, value) -> None:
    path = "scraper.proxy.iproyal.host"
    check(loaded, faults_of, "scraper: {proxy: {iproyal: {host: VALUE}}}", path, text, value)
