"""Weights of the Poisson bootstrap: how often every request is drawn, told by its name alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from itertools import pairwise
from math import factorial

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.shuffles import words
from tiebreak.inputs import Ids

EULER = sum(Fraction(1, factorial(k)) for k in range(40))
MOST_DRAWN = 12
"""More than so often a request is drawn once in 10^10 times; numbers of 32 bits do not tell that."""
BOUNDS = [int(2**32 * sum(Fraction(1, factorial(k)) for k in range(times + 1)) / EULER) for times in range(MOST_DRAWN)]
"""A number of 32 bits below the k-th of them means at most k times."""
OFTEN = 4
"""More than so often a request is drawn in one of 270 draws."""
NUMBERS_IN_A_WORD = 2
NOTE = (
    "Values of requests are not kept: every request is drawn as often as Poisson's distribution with mean 1 says, by "
    "its name (the Poisson bootstrap), not as many requests in all as there are."
)


def hash_names(ids: Ids) -> NDArray[np.uint64]:
    """A number for every id that is the same on every machine: blake2b of eight bytes."""
    parts = pairwise(ids.offsets.tolist())
    digests = b"".join(blake2b(ids.buffer[a:b], digest_size=8).digest() for a, b in parts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


@dataclass(frozen=True)
class PoissonWeights:
    """How often requests are drawn, by Poisson's distribution with mean 1, from the seed, the draw and the name."""

    seed: int

    def __call__(self, draws: range, names: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Weights [request, draw] of requests with these hashes [request, 1]: a random word serves two draws."""
        pairs = np.arange(draws.start // NUMBERS_IN_A_WORD, -(-draws.stop // NUMBERS_IN_A_WORD), dtype=np.uint64)
        random_words = next(words(self.seed, pairs, names)).astype("<u8", order="C")
        first = draws.start % NUMBERS_IN_A_WORD
        numbers = random_words.view("<u4")[:, first : first + len(draws)]
        weights = np.zeros(numbers.shape, dtype=np.uint8)
        for bound in BOUNDS[:OFTEN]:
            weights += numbers >= np.uint32(bound)
        is_rare = numbers >= np.uint32(BOUNDS[OFTEN])
        weights[is_rare] = np.searchsorted(BOUNDS, numbers[is_rare], side="right")
        return weights
