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


class AloneWith(FunctionElement[int]):
    """Whoever asks with the same word waits until this transaction is over. Where only one writes at a time it does
    nothing."""

    inherit_cache = True


@compiles(AloneWith, "sqlite")
def _alone_already(element: AloneWith, compiler: Any, **options: Any) -> str:
    return f"length({compiler.process(element.clauses, **options)})"


@compiles(AloneWith, "postgresql")
def _advisory_lock(element: AloneWith, compiler: Any, **options: Any) -> str:
    return f"(pg_advisory_xact_lock(hashtext({compiler.process(element.clauses, **options)})) IS NULL)"
