"""How an optional part is brought. From Longstop's own folder: the package index may hold a stranger of that name."""


def installing(extra: str) -> str:
    """The words to type, and where."""
    return f"`.venv/bin/pip install -e '.[{extra}]'` in Longstop's folder"
