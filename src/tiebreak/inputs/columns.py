"""Which column of a table holds what: by what a user says, else by the names that are common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from shlex import quote as shell_quote
from typing import Any, TypeAlias

from tiebreak._base.checks import check_choice
from tiebreak._base.text import join_names
from tiebreak.errors import InputError, quote
from tiebreak.inputs.sources import is_number

Columns: TypeAlias = "Mapping[str, str | None] | Iterable[str] | ColumnNames"
"""``{"request": "prompt_id", "score": "pred"}``, or the same as text, ``"request=prompt_id,score=pred"``."""

NAMES = {
    "request": ("request", "qid", "query_id", "user_id", "user", "uid", "topic_id", "session_id", "query"),
    "item": (
        *("item", "docno", "doc_id", "corpus_id", "item_id", "movie_id", "iid", "document_id", "doc", "document"),
        *("items", "item_ids", "docs", "doc_ids"),
    ),
    "score": ("score", "prediction", "rating", "est", "sim"),
    "rank": ("rank",),
    "grade": ("relevance", "label", "grade", "rel", "rating", "score", "weight"),  # as recommenders call it, and BEIR
    "subtopic": ("subtopic", "subtopic_id", "iteration", "iter", "intent", "aspect"),
    "run": ("run", "run_id", "system", "model", "name", "tag"),
    "value": ("value", "utility", "score", "rating"),  # a prediction is what a model answers, not how well
    "measure": ("measure", "metric"),
    "trial": ("trial", "repetition", "repeat", "repeat_index", "attempt", "epoch", "seed"),
    "group": ("group", "segment", "language", "topic"),
    "weight": ("weight", "traffic", "frequency", "count"),
    "provider": ("provider", "author", "artist", "publisher", "seller"),
    "aspect": ("aspect", "genre", "category", "subtopic"),
}
"""Common names by what columns hold; the first that a table has counts. Case, ``_``, ``-`` and spaces do not matter."""
GIVES_WAY: dict[str, dict[str, tuple[str, ...]]] = {
    "request": {"query": ("request", "qid", "query_id", "topic_id"), "user": ("user_id", "uid")},
    "item": {
        "doc_id": ("docno",),  # PyTerrier numbers documents beside their ids
        "doc": ("docno", "doc_id", "corpus_id", "document_id"),
        "document": ("docno", "doc_id", "corpus_id", "document_id"),
    },
    "score": {"rating": ("score", "prediction", "est", "sim")},
    "grade": dict.fromkeys(("score", "weight"), ("relevance", "label", "grade", "rel", "rating")),
    "value": {},
    "measure": {},
    "trial": {},
}
"""Names that hold something else beside others, such as a text beside its id. Any other two are asked about."""
TYPES = (":token", ":token_seq", ":float", ":float_seq")
"""What RecBole adds to names."""
SHARED = ("request", "item", "score", "rank", "grade", "subtopic", "run", "aspect")
"""What several tables of one experiment may hold, each in a column of another name."""
RUNS = ("run", "runid", "system", "model")
"""Names of columns of runs, where a table with two of them may mean either: a run may be a repetition of a model."""
OTHER = "other"
"""What columns hold that are nothing of this; several may be named."""
MOST_LISTED = 20


class ColumnNames:
    """The columns that a user names, by what they hold; an empty name says that there is none.

    `others` are columns to leave out; None if nothing was said about them.

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
        self.others: set[str] | None = None
        self.used: set[str] = set()
        self.is_shared = is_shared
        if isinstance(columns, ColumnNames):
            self.by_role, self.others, self.used = columns.by_role, columns.others, columns.used
            self.is_shared = columns.is_shared or is_shared
        elif columns is not None:
            pairs = list_pairs(columns)
            self.by_role = by_content(pair for pair in pairs if pair[0] != OTHER)
            if any(role == OTHER for role, _ in pairs):
                self.others = {name for role, name in pairs if role == OTHER and name}

    def __bool__(self) -> bool:
        return bool(self.by_role or self.others)

    def with_columns(self, **columns: str | None) -> ColumnNames:
        """The same, and the columns that were found for some roles; messages do not suggest these for others."""
        more = copy(self)
        more.by_role = self.by_role | {role: name for role, name in columns.items() if name is not None}
        return more

    def not_aside(self, role: str, columns: Sequence[str]) -> list[str]:
        """The columns that may hold this, whatever their names: neither others nor trials."""
        aside = {*(self.others or ()), *([] if role == "trial" else [self.by_role.get("trial")])}
        self.used |= {f"{OTHER}={name}" for name in columns if name in (self.others or ())}
        return [name for name in columns if name not in aside]

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
            column = common_name(role, self.not_aside(role, columns), label)
        if column is not None and columns.count(column) > 1:
            raise InputError(
                f"{label}: there are {columns.count(column)} columns {quote(column)}. Keep one.", kind="columns"
            )
        return column

    def find_run(self, columns: Sequence[str], label: str, more: tuple[str, ...] = (), advice: str = "") -> str | None:
        """The column that names runs; an error where two may, also by `more` names."""
        column = self.find("run", columns, label)
        rivals = [name for name in self.not_aside("run", columns) if plain(name) in (*RUNS, *more)]
        if column is None or column == self.by_role.get("run") or len(rivals) < 2:
            return column
        first, second = sorted(rivals, key=lambda name: (*RUNS, *more).index(plain(name)))[:2]
        raise InputError(
            f"{label}: columns {quote(first)} and {quote(second)} may both name the runs. Say which does, such as "
            f"{example('run', second)}." + advice.format(column=quote(first)[1:-1]),
            kind="columns",
        )

    def missing(self, role: str, columns: Sequence[str], label: str, *more: str) -> InputError:
        """The error where no column is known for a role, or for several."""
        roles = (role, *more)
        if {"score", "grade"} & {*roles} and any(map(is_number, columns)):  # there is no line of names
            free = (str(k) for k in range(len(columns)) if str(k) not in self.by_role.values())
            text = ",".join(f"{one}={k}" for one, k in [*self.by_role.items(), *zip(roles, free, strict=False)])
            return InputError(
                f"{label}: no column for {' and '.join(roles)}. There are {list_names(columns)}. Columns without names "
                f"are numbered from 0: say which holds what, such as columns={text!r}, on the command line --columns "
                f"{text}. Ranked lists are given by request: {{request: [item, ...]}}.",
                kind="columns",
            )
        common = {plain(name) for known in NAMES.values() for name in known} | {*map(plain, self.by_role.values())}
        nameless = [name for name in columns if is_nameless(name)]
        others = [name for name in columns if plain(name) not in common and name not in nameless]
        unknown = [quote(name)[1:-1] for name in (nameless if nameless and role in ("request", "run") else others)]
        known = "; ".join(f"for {one} {', '.join(NAMES[one])}" for one in roles) if more else ", ".join(NAMES[role])
        names = ", ".join(f"{one!r}: ..." for one in roles)
        advice = f"Add {'them' if more else 'one'}, or say which: columns={{{names}}}, on the command line --columns "
        advice += ",".join(f"{one}=..." for one in roles)
        if len(unknown) == 1 and not more:
            advice = f"Say which it is, such as {example(role, unknown[0])}."
        return InputError(
            f"{label}: no column for {' and '.join(roles)}. Known names: {known}. There are {list_names(columns)}. "
            f"{advice}",
            kind="columns",
        )

    def are_numbers(self, *values: str) -> bool:
        """Whether columns are named by number: those of request, item and any of these values."""
        numbers = [role for role, name in self.by_role.items() if name.isdecimal()]
        has_value = any(role in numbers or self.by_role.get(role) == "" for role in values)
        return {"request", "item"} <= {*numbers} and has_value

    def check_used(self, roles: Iterable[str] = SHARED) -> None:
        """Refuse names that no table has."""
        for name in sorted(self.others or ()):
            if f"{OTHER}={name}" not in self.used:
                raise InputError(
                    f"columns: no table here has a column {quote(name)} to leave out. Check its spelling.",
                    kind="columns",
                )
        for role in roles:
            if self.names(role) and role not in self.used:
                raise InputError(
                    f"columns: no table here has a column {quote(str(self.by_role[role]))} for {role}. "
                    "Check its spelling, or leave it out.",
                    kind="columns",
                )


def list_pairs(columns: Mapping[str, Any] | Iterable[str]) -> list[tuple[str, str]]:
    """What columns hold and their names, from a dictionary or from text; the empty name where there is no column."""
    if isinstance(columns, Mapping):
        pairs = [
            (role, name)
            for role, names in columns.items()
            for name in (names if role == OTHER and isinstance(names, (list, tuple, set)) else [names])
        ]
    elif not isinstance(columns, Iterable):
        raise InputError(f'columns={columns!r}. Give a dictionary such as {{"request": "prompt_id"}}.', kind="columns")
    else:
        texts = [columns] if isinstance(columns, str) else columns
        pairs = [split_name(one) for text in texts for one in str(text).split(",")]
    return [(check_choice(role, "columns", (*NAMES, OTHER)), "" if name is None else str(name)) for role, name in pairs]


def by_content(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """One name for everything that a column is named for."""
    by_role: dict[str, str] = {}
    for role, name in pairs:
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
    """The column with a common name for a role; an error where two might be meant."""
    present: dict[str, str] = {}
    for known in NAMES[role]:
        several = list(dict.fromkeys(name for name in columns if plain(name) == plain(known)))
        if len(several) > 1 and known not in several:
            raise two_columns(role, several, label)
        if several:
            present[known] = known if known in several else several[0]
    if role not in GIVES_WAY:
        return next(iter(present.values()), None)
    gives_way = GIVES_WAY[role]
    first = [name for known, name in present.items() if not {*gives_way.get(known, ())} & present.keys()]
    if len(first) > 1:
        raise two_columns(role, first, label)
    return first[0] if first else None


def two_columns(role: str, names: Sequence[str], label: str) -> InputError:
    first, second = (quote(name)[1:-1] for name in names[:2])
    return InputError(
        f"{label}: {quote(first)} and {quote(second)} may both be the column for {role}. Say which it is: "
        f"columns={{{role!r}: {first!r}}} or columns={{{role!r}: {second!r}}}, on the command line "
        f"{option((role, first))} or {option((role, second))}.",
        kind="columns",
    )


def example(role: str, name: str) -> str:
    """How a column is named, in Python and on the command line."""
    return f"columns={{{role!r}: {name!r}}}, on the command line {option((role, name))}"


def option(*pairs: tuple[str, str]) -> str:
    """Names of columns as a shell takes them."""
    return f"--columns {shell_quote(','.join(f'{role}={quote(name)[1:-1]}' for role, name in pairs))}"


def plain(name: str) -> str:
    """A name without its spelling: ``userId``, ``user-id`` and ``user_id:token`` are the same."""
    stem, colon, kind = name.rpartition(":")
    if colon + kind in TYPES:
        name = stem
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def is_nameless(name: str) -> bool:
    """Whether it is what pandas and `table_files` call a column without a name, as that of numbers of rows."""
    return re.fullmatch(r"Unnamed: \d+", name) is not None


def list_names(columns: Sequence[str]) -> str:
    return join_names([quote(name)[1:-1] for name in columns], most=MOST_LISTED)
