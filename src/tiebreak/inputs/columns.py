"""Which column of a table holds what: by what a user says, else by the names that are common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from tiebreak._base.checks import check_choice
from tiebreak._base.text import join_names
from tiebreak.errors import InputError, quote

Columns: TypeAlias = "Mapping[str, str | None] | Iterable[str] | ColumnNames"
"""``{"request": "prompt_id", "score": "pred"}``, or the same as text, ``"request=prompt_id,score=pred"``."""

SCORE = ("score", "prediction", "rating")
NAMES = {
    "request": ("request", "qid", "query_id", "user_id", "user", "uid", "topic_id", "session_id", "query"),
    "item": (
        *("item", "docno", "doc_id", "corpus_id", "item_id", "movie_id", "iid", "document_id", "doc", "document"),
        *("items", "item_ids", "docs", "doc_ids"),
    ),
    "score": (*SCORE, "est", "sim"),
    "rank": ("rank",),
    "grade": ("relevance", "label", "grade", "rel", "rating", "score", "weight"),  # as recommenders call it, and BEIR
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
    "run": ("run", "run_id", "system", "model", "name", "tag"),
    "value": ("value", "utility", *SCORE),
    "trial": ("trial", "repetition", "repeat", "repeat_index", "attempt", "epoch", "seed"),
    "group": ("group", "segment", "language", "topic"),
    "weight": ("weight", "traffic", "frequency", "count"),
    "provider": ("provider", "author", "artist", "publisher", "seller"),
    "aspect": ("aspect", "genre", "category", "subtopic"),
}
"""Common names by what columns hold; the first that a table has counts. Case, ``_``, ``-`` and spaces do not matter."""
TYPES = (":token", ":token_seq", ":float", ":float_seq")
"""What RecBole adds to names."""
SHARED = ("request", "item", "score", "rank", "grade", "subtopic", "run", "aspect")
"""What several tables of one experiment may hold, each in a column of another name."""
MOST_LISTED = 20


class ColumnNames:
    """The columns that a user names, by what they hold; an empty name says that there is none.

    Names that are shared by several tables hold for those that have such a column; `check_used` refuses names that none
    of them has.

    Examples
    --------
    >>> ColumnNames("request=prompt_id,score=pred").by_role
    {'request': 'prompt_id', 'score': 'pred'}
    >>> ColumnNames({"grade": "stars"}).find("request", ["userId", "movieId", "stars"])
    'userId'
    """

    def __init__(self, columns: Columns | None = None, *, is_shared: bool = False) -> None:
        self.by_role: dict[str, str] = {}
        self.used: set[str] = set()
        self.is_shared = is_shared
        if isinstance(columns, ColumnNames):
            self.by_role, self.used = columns.by_role, columns.used
            self.is_shared = columns.is_shared or is_shared
        elif columns is not None:
            self.by_role = parse_columns(columns)

    def __bool__(self) -> bool:
        return bool(self.by_role)

    def names(self, role: str) -> bool:
        """Whether a column is named for this role."""
        return bool(self.by_role.get(role))

    def find(self, role: str, columns: Sequence[str], label: str = "the table") -> str | None:
        """The column for a role: the one that was named, or the first with a common name."""
        named = self.by_role.get(role)
        if named == "":
            self.used.add(role)
            return None
        if named is not None and named not in columns and not (self.is_shared and role in SHARED):
            raise InputError(
                f"{label}: there is no column {quote(named)} for {role}. There are {list_names(columns)}.",
                kind="columns",
            )
        if named in columns:
            self.used.add(role)
            column = named
        else:
            column = common_name(role, columns, label)
        if column is not None and columns.count(column) > 1:
            raise InputError(
                f"{label}: there are {columns.count(column)} columns {quote(column)}. Keep one.", kind="columns"
            )
        return column

    def missing(self, role: str, columns: Sequence[str], label: str) -> InputError:
        """The error where no column is known for a role."""
        common = {plain(name) for known in NAMES.values() for name in known}
        unknown = [quote(name)[1:-1] for name in columns if plain(name) not in common]
        advice = f"Add one, or say which it is: columns={{{role!r}: ...}}, on the command line --columns {role}=..."
        if unknown:
            example = f"columns={{{role!r}: {unknown[0]!r}}}, on the command line --columns {role}={unknown[0]}."
            advice = f"Say which it is, such as {example}"
        return InputError(
            f"{label}: no column for {role}. Known names: {', '.join(NAMES[role])}. There are {list_names(columns)}. "
            f"{advice}",
            kind="columns",
        )

    def check_used(self, roles: Iterable[str] = SHARED) -> None:
        """Refuse names that no table has."""
        for role in roles:
            if self.names(role) and role not in self.used:
                raise InputError(
                    f"columns: no table here has a column {quote(str(self.by_role[role]))} for {role}. "
                    "Check its spelling, or leave it out.",
                    kind="columns",
                )


def parse_columns(columns: Mapping[str, str | None] | Iterable[str]) -> dict[str, str]:
    """Names of columns by what they hold, from a dictionary or from text; the empty name where there is no column."""
    if isinstance(columns, Mapping):
        pairs = list(columns.items())
    elif not isinstance(columns, Iterable):
        raise InputError(f'columns={columns!r}. Give a dictionary such as {{"request": "prompt_id"}}.', kind="columns")
    else:
        texts = [columns] if isinstance(columns, str) else columns
        pairs = [split_name(one) for text in texts for one in str(text).split(",")]
    by_role: dict[str, str] = {}
    for role, column in pairs:
        check_choice(role, "columns", NAMES)
        name = "" if column is None else str(column)
        if by_role.setdefault(role, name) != name:
            raise InputError(f"columns: two columns are named for {role}. Name one.", kind="columns")
    return by_role


def split_name(text: str) -> tuple[str, str]:
    role, equals, column = text.partition("=")
    if not equals:
        raise InputError(
            f"columns: {quote(text)} has no =. Write what a column holds and its name, such as request=prompt_id; "
            f"known: {', '.join(NAMES)}.",
            kind="columns",
        )
    return role.strip(), column.strip()


def common_name(role: str, columns: Sequence[str], label: str) -> str | None:
    """The first column with a common name for a role; an error where two might be meant."""
    for known in NAMES[role]:
        several = list(dict.fromkeys(name for name in columns if plain(name) == plain(known)))
        if known in several:
            return known
        if len(several) > 1:
            first, second, *_ = map(quote, several)
            raise InputError(
                f"{label}: {first} and {second} may both be the column for {role}. "
                f"Say which it is: columns={{{role!r}: ...}}, on the command line --columns {role}=...",
                kind="columns",
            )
        if several:
            return several[0]
    return None


def plain(name: str) -> str:
    """A name without its spelling: ``userId``, ``user-id`` and ``user_id:token`` are the same."""
    stem, colon, kind = name.rpartition(":")
    if colon + kind in TYPES:
        name = stem
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def list_names(columns: Sequence[str]) -> str:
    return join_names([quote(name)[1:-1] for name in columns], most=MOST_LISTED)
