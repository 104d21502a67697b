"""Numbers as the papers print them, and how far they are from those found here."""

from __future__ import annotations

from math import hypot

PRINTED_PAIRS = 10_000
"""How many pairs the paper drew (LR 4.3)."""
FAR = 3.0
"""Standard errors between two estimates from which chance is no likely explanation."""
EXACT, BY_CHANCE, DIFFERENT = "exact", "within sampling error", "different"

TABLE_2 = {
    # LR Table 2: n, then tied, TSE, R@1000, RP, AP, NDCG, random
    10**3: ("0.012", "1.000", "0.000", "0.285", "0.541", "0.535", "0.492"),
    10**4: ("0.001", "1.000", "0.420", "0.077", "0.552", "0.549", "0.497"),
    10**5: ("0.000", "1.000", "0.179", "0.008", "0.554", "0.555", "0.498"),
    10**6: ("0.000", "1.000", "0.026", "0.001", "0.547", "0.554", "0.499"),
}
TABLE_2_COLUMNS = ("tied", "TSE", "R@1000", "RP", "AP", "nDCG", "random")
TABLES_3_AND_4 = {
    # LR Table 3: m = 10; and Table 4: n = 10^6
    ("Table 3", 10**3, 10): ("0.005", "1.000", "0.825", "0.000", "0.000"),
    ("Table 3", 10**4, 10): ("0.001", "0.313", "0.980", "0.000", "0.000"),
    ("Table 3", 10**5, 10): ("0.000", "0.826", "0.998", "0.000", "0.000"),
    ("Table 3", 10**6, 10): ("0.000", "0.980", "1.000", "0.000", "0.000"),
    ("Table 4", 10**6, 1): ("0.000", "0.998", "1.000", "0.000", "0.000"),
    ("Table 4", 10**6, 5): ("0.000", "0.990", "1.000", "0.000", "0.000"),
    ("Table 4", 10**6, 10): ("0.000", "0.981", "1.000", "0.000", "0.000"),
    ("Table 4", 10**6, 25): ("0.000", "0.952", "0.999", "0.000", "0.000"),
    ("Table 4", 10**6, 50): ("0.000", "0.907", "0.995", "0.000", "0.000"),
}
TABLE_3_COLUMNS = ("TSE", "R@1000", "RP", "AP", "LexiRecall")


def errors_apart(found: float, error: float, printed: str) -> float | None:
    """By how many standard errors two estimates differ: the printed one was drawn too. None where neither has one."""
    value = float(printed)
    together = hypot(error, standard_error(value, PRINTED_PAIRS))
    return (found - value) / together if together else None


def standard_error(share: float, draws: int) -> float:
    """Of a share among so many draws."""
    return float((share * (1 - share) / draws) ** 0.5)


def status(found: float, printed: str, apart: float | None = None) -> str:
    """Exact where the printed digits are the same; else whether chance explains that they are so far apart."""
    if f"{found:.{len(printed.partition('.')[2])}f}" == printed:
        return EXACT
    return BY_CHANCE if apart is not None and abs(apart) <= FAR else DIFFERENT
