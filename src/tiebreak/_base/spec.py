"""Specs such as ``RBP(p=0.8)@20`` or ``leximin(AP)``: parse and print.

    spec := name ['(' arg {',' arg} ')'] ['@' int]
    arg  := [ident '='] (number | string | table | true | false | none | spec)

A table such as ``{1: 0.5, 2: 3}`` means the text ``'1: 0.5, 2: 3'``.

Before the grammar, the spellings of trec_eval, ir_measures, ranx, ndeval, pref_eval, LensKit and MTEB are tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, NoReturn, TypeAlias

from tiebreak.errors import InputError, quote

LONGEST, DEEPEST = 500, 8


@dataclass(frozen=True)
class Spec:
    """A name with arguments and a cutoff; printed in the same grammar."""

    name: str
    arguments: tuple[tuple[str | None, Value], ...] = ()
    cutoff: int | None = None

    def __str__(self) -> str:
        return format_spec(self.name, self.arguments, self.cutoff)


Value: TypeAlias = "int | float | str | bool | Spec | None"


def format_spec(name: str, arguments: tuple[tuple[str | None, object], ...], cutoff: int | None) -> str:
    """A spec as text."""
    inside = ", ".join(f"{key}={format_value(value)}" if key else format_value(value) for key, value in arguments)
    return name + (f"({inside})" if inside else "") + (f"@{cutoff}" if cutoff is not None else "")


def format_value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return format_value(",".join(map(format_value, value)))
    if callable(value):
        value = getattr(value, "__qualname__", repr(value))
    if isinstance(value, str):
        mark = '"' if "'" in value else "'"
        return f"{mark}{value}{mark}"
    if isinstance(value, float) and abs(value) < 2**53 and value == int(value):
        return str(int(value))
    return str(value)


ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
SPELLINGS = {
    "AP": ("map", "ap", "MAP", "AveragePrecision"),
    "RR": ("recip_rank", "rr", "mrr", "MRR", "RecipRank"),
    "nDCG": ("ndcg", "NDCG"),
    "DCG": ("dcg",),
    "P": ("p", "precision", "Precision"),
    "R": ("r", "recall", "Recall", "SetR", "set_recall"),
    "RP": ("rp", "r-precision", "RPrec", "Rprec"),
    "SetP": ("set_P",),
    "SetF": ("set_F",),
    "SetAP": ("set_map",),
    "IAP": ("11pt_avg",),
    "NumQ": ("num_q",),
    "NumRet": ("num_ret",),
    "NumRel": ("num_rel",),
    "NumRelRet": ("num_rel_ret",),
    "NumNonrelJudgedRet": ("num_nonrel_judged_ret",),
    "nDCG_rel": ("ndcg_rel",),
    "RnDCG": ("Rndcg",),
    "Success": ("hit_rate", "Hit", "HitRate"),
    "Hits": ("hits",),
    "F1": ("f1",),
    "bpref": ("BPref", "Bpref"),
    "Novelty": ("novelty",),
    "ILD": ("ild",),
    "Coverage": ("coverage",),
    "LP": ("mu_LP",),
    "alpha_DCG": ("alpha-DCG", f"{ALPHA}_DCG", f"{ALPHA}-DCG"),
    "alpha_nDCG": ("alpha-nDCG", f"{ALPHA}_nDCG", f"{ALPHA}-nDCG"),
    "ERR_IA": ("ERR-IA",),
    "nERR_IA": ("nERR-IA",),
    "AP_IA": ("MAP-IA", "MAP_IA"),
    "P_IA": ("P-IA",),
    "STREC": ("strec", "StRecall"),
}
"""Names of metrics in trec_eval, pref_eval, ranx, ndeval, ir_measures, LensKit, papers; arguments, cutoffs follow."""
NAMES = {other: name for name, others in SPELLINGS.items() for other in others}
NUMBER, NUMBERS = r"(\d*\.?\d+)", r"([-+\d.,]+)"
PATTERNS = {
    # trec_eval, which prints P_10 for what it is asked for as P.10
    r"(map|ndcg)_cut[_.](\d+)": r"\1@\2",
    r"(P|recall)[_.](\d+)": r"\1@\2",
    r"success[_.](\d+)": r"Success@\1",
    r"relative_P[_.@](\d+)": r"P(relative=true)@\1",
    r"unj[_.](\d+)": r"Unjudged@\1",
    rf"iprec_at_recall[_.]{NUMBER}": r"IPrec(recall=\1)",
    rf"Rprec_mult[_.]{NUMBER}": r"RP(multiple=\1)",
    rf"set_F[_.]{NUMBER}": r"SetF(beta=\1)",
    rf"11pt_avg[_.]{NUMBERS}": r"IAP(recalls='\1')",
    rf"utility[_.]{NUMBERS}": r"utility(\1)",
    rf"(ndcg|ndcg_rel|Rndcg|G)[_.](\d+={NUMBER}(?:,\d+={NUMBER})*)": r"\1(gains='\2')",
    rf"ndcg_cut[_.](\d+)[_.](\d+={NUMBER}(?:,\d+={NUMBER})*)": r"nDCG(gains='\2')@\1",
    rf"rbp[_.]p={NUMBER}": r"graded_RBP(p=\1)",
    rf"rbp_resid[_.]p={NUMBER}": r"RBP_resid(p=\1)",
    r"rbp_resid": "RBP_resid(p=0.9)",
    r"gm_map": "gm(AP)",
    r"gm_bpref": "gm(bpref)",
    # ir_measures
    rf"IPrec@{NUMBER}": r"IPrec(recall=\1)",
    rf"IPrec\((.*)\)@{NUMBER}": r"IPrec(recall=\2, \1)",
    r"(?:SetRelP|set_relative_P)": "SetP(relative=true)",
    r"SetRelP\((.*)": r"SetP(relative=true, \1",
    # MTEB and BEIR
    r"(?:r|R|recall|Recall)_[cC]ap(?:@|At_|_at_)(\d+)": r"P(relative=true)@\1",
    r"(\w+)_at_(\d+)": r"\1@\2",
    # pref_eval, and the papers
    r"rbp": "RBP(p=0.5)",
    r"RR_(\d+)": r"RR(level=\1)",
    # ranx, whose "-l2" asks for grades of at least 2; without a cutoff it counts all that is retrieved
    r"precision": "SetP",
    r"precision-l(\d+)": r"SetP(rel=\1)",
    r"f1": "SetF",
    r"f1-l(\d+)": r"SetF(rel=\1)",
    r"(n?)dcg_burges(@\d+)?": r"\1DCG(gain='exp')\2",
    r"(n?)dcg_burges\((.*)": r"\1DCG(gain='exp', \2",
    r"(n?)dcg_burges(@\d+)?-l(\d+)": r"\1DCG(gain='exp', rel=\3)\2",
    r"(?!rbp\b|\w*_\d)([A-Za-z][\w-]*?)(@\d+)?-l(\d+)": r"\1(rel=\3)\2",
    r"rbp\.(\d+)": r"RBP(p=0.\1)",
    r"rbp\.(\d+)-l(\d+)": r"RBP(p=0.\1, rel=\2)",
}
"""Other spellings of metrics as a whole, and what each stands for."""
ARGUMENT = re.compile(r"""'[^']*'|"[^"]*"|(?<=[(,=\s])(?P<bare>[\w@.-]+)(?=\s*[,)])""")
"""An argument without quotes, parameters or a table; or one in quotes, which stays."""


def canonical(text: str) -> str:
    """The spec that another spelling stands for; other text as it is."""
    text = expand_pattern(text)
    name = re.match(r"[\w-]*", text)
    assert name is not None
    return NAMES.get(name.group(), name.group()) + text[name.end() :]


@lru_cache(maxsize=1024)
def expand_pattern(text: str) -> str:
    for pattern, spec in PATTERNS.items():
        if match := re.fullmatch(pattern, text):
            return match.expand(spec)
    return text


def expand_arguments(text: str) -> str:
    """The same with other spellings among the arguments replaced: ``leximin(map@10-l2)``, ``diff(P.5)``."""
    return ARGUMENT.sub(lambda match: match[0] if match["bare"] is None else expand_pattern(match["bare"]), text)


def expand_alias(text: str, aliases: Mapping[str, str]) -> str:
    """The spec that an alias stands for, with the arguments given to it: ``sgnLP(rel=2)``, ``LexiPrecision(rel=2)``."""
    name, parenthesis, rest = text.partition("(")
    known = aliases.get(name.strip(), name)
    if not parenthesis:
        return known
    return f"{known[:-1]}, {rest}" if known.endswith(")") else f"{known}({rest}"


def is_written_whole(text: str) -> bool:
    """Whether a float holds all digits of a decimal: printed again, it is the same number."""
    return Decimal(text) == Decimal(repr(float(text)))


def parse(text: str) -> Spec:
    """Read a spec."""
    if len(text) > LONGEST:
        raise_error(text, f"it is longer than {LONGEST} characters")
    if re.fullmatch(rf"rbp[_.@]{NUMBER}", canonical(text.strip())):
        raise_error(text, "p has no name", advice=PERSISTENCE)
    parser = Parser(expand_arguments(canonical(text.strip())))
    spec = parser.spec(depth=0)
    if parser.accept(",") or parser.accept("name"):
        raise_error(text, "it is more than one name", advice=ONE_BY_ONE)
    parser.take("end")
    return spec


GRAMMAR = "Write NAME, NAME@CUTOFF or NAME(parameter=value)@CUTOFF."
PERSISTENCE = "Write RBP(p=0.9), or rbp.p=0.9 for trec_eval's, which counts grades."
ONE_BY_ONE = "Give each by itself: a list of names, or on the command line with spaces between them, -m 'AP nDCG@10'."


def raise_error(text: str, problem: str, place: int = 0, advice: str = GRAMMAR) -> NoReturn:
    where = f" at character {place + 1}" if place else ""
    raise InputError(f"{quote(text)} cannot be read: {problem}{where}. {advice}", kind="spec")


def raise_unexpected(text: str, token: str, place: int) -> NoReturn:
    """An error at a token; where it is inside a value without quotes, the value may need them."""
    problem = f"{quote(token)} is not expected" if token else "it ends too early"
    for argument in re.finditer(BARE_VALUE, text):
        if token and argument.start("value") < place <= argument.end("value"):
            key, value = argument["key"], argument["value"].strip()
            raise_error(text, problem, place, f"If {value} is a name, it needs quotes: {key}='{value}'.")
    raise_error(text, problem, place)


BARE_VALUE = r"(?P<key>\w+)\s*=\s*(?P<value>[^'\"(){},=\s][^'\"(){},=]*)"
"""An argument whose value is not in quotes."""
TOKENS = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)"
    r"|(?P<string>'[^']*'|\"[^\"]*\"|\{[^{}]*\})"
    r"|(?P<mark>[()=,@])"
)
WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}


class Token(NamedTuple):
    """A mark is its own kind."""

    kind: str
    text: str
    place: int


def tokens(text: str) -> Iterator[Token]:
    place = 0
    while place < len(text):
        match = TOKENS.match(text, place)
        if not match:
            raise_unexpected(text, text[place], place)
        kind, token = str(match.lastgroup), match.group()
        if kind != "space":
            yield Token(token if kind == "mark" else kind, token, place)
        place = match.end()
    yield Token("end", "", 0)


class Parser:
    """Recursive descent over tokens."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.next = text, list(tokens(text)), 0

    def spec(self, depth: int) -> Spec:
        if depth > DEEPEST:
            raise_error(self.text, f"it is nested more than {DEEPEST} deep")
        name = self.take("name").text
        arguments: list[tuple[str | None, Value]] = []
        if self.accept("("):
            arguments.append(self.argument(depth))
            while not self.accept(")"):
                self.take(",")
                arguments.append(self.argument(depth))
        return Spec(name, tuple(arguments), self.cutoff() if self.accept("@") else None)

    def cutoff(self) -> int:
        token = self.take("number")
        if not token.text.isdecimal() or not 1 <= int(token.text) < 2**31:
            raise_error(self.text, f"the cutoff {quote(token.text)} is not a whole number from 1 on", token.place)
        return int(token.text)

    def argument(self, depth: int) -> tuple[str | None, Value]:
        if self.tokens[min(self.next + 1, len(self.tokens) - 1)].kind != "=":
            return None, self.value(depth)
        key = self.take("name").text
        self.take("=")
        return key, self.value(depth)

    def value(self, depth: int) -> Value:
        if token := self.accept("number"):
            is_whole = re.fullmatch(r"[+-]?\d+", token.text) is not None
            if abs(float(token.text)) >= (2.0**63 if is_whole else float("inf")):
                raise_error(self.text, f"the number {quote(token.text)} is too large", token.place)
            if not (is_whole or is_written_whole(token.text)):
                raise_error(self.text, f"{token.text} has more digits than a float holds", token.place)
            return int(token.text) if is_whole else float(token.text)
        if token := self.accept("string"):
            return token.text[1:-1]
        if self.tokens[self.next].text.lower() in WORDS:
            return WORDS[self.take("name").text.lower()]
        return self.spec(depth + 1)

    def accept(self, kind: str) -> Token | None:
        token = self.tokens[self.next]
        self.next += token.kind == kind
        return token if token.kind == kind else None

    def take(self, kind: str) -> Token:
        token = self.accept(kind)
        if token is None:
            _, text, place = self.tokens[self.next]
            raise_unexpected(self.text, text, place)
        return token


def split_specs(text: str) -> list[str]:
    """Specs between spaces, except within brackets and quotes, and around commas, ``=`` and ``@`` as in ``P.5, 10``.

    >>> split_specs("AP RBP(p=0.9, rel=2)@10  nDCG @10")
    ['AP', 'RBP(p=0.9, rel=2)@10', 'nDCG @10']
    """
    specs: list[str] = []
    begin = end = depth = 0
    mark = ""
    for word in re.finditer(r"\S+", text):
        goes_on = mark or depth or text[end - 1 : end] in {*",=@"} or word[0][0] in ",=@("
        if end and not goes_on:
            specs.append(text[begin:end])
        if not (end and goes_on):
            begin = word.start()
        end = word.end()
        for c in word[0]:
            if mark or c in "'\"":
                mark = "" if c == mark else mark or c
            else:
                depth += (c in "([{") - (c in ")]}")
    return [*specs, text[begin:end]]
