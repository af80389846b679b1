from longstop.settings import load, secrets_in


def test_every_secret_of_the_settings_is_known_to_the_redactor() -> None:
    environ = {
        "LONGSTOP_DATABASE_URL": "postgresql://ops:hidden%2Fpass@127.0.0.1/longstop",
        "IPROYAL_PASSWORD": "proxy-secret-value",
        "LONGSTOP_API_AUTH_JWT_SECRET": "vQ3nT8zK1xW6pL0rY5bM2hJ9dF7gS4cA",
    }
    found = set(secrets_in(load(file=None, environ=environ, overrides={}).settings))
    assert {"hidden/pass", "proxy-secret-value", environ["LONGSTOP_API_AUTH_JWT_SECRET"]} <= found


def test_settings_without_a_secret_have_none_to_hide() -> None:
    assert list(secrets_in(load(file=None, environ={}, overrides={}).settings)) == []
