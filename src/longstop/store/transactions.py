"""The number of a transaction, as the database itself gives it."""

from typing import Any

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class TransactionId(FunctionElement[int]):
    """The number of the transaction that writes; where only one writes at a time it says nothing, and is 0."""

    inherit_cache = True


@compiles(TransactionId, "sqlite")
def _no_transaction_id(element: TransactionId, compiler: Any, **options: Any) -> str:  # noqa: ARG001 - SQLAlchemy's own shape
    return "0"


@compiles(TransactionId, "postgresql")
def _own_transaction_id(element: TransactionId, compiler: Any, **options: Any) -> str:  # noqa: ARG001 - the same
    return "((pg_current_xact_id())::text)::bigint"
