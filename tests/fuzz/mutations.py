"""Small changes to the bytes of a file: each takes them and a source of chance."""

from engines.strategies import BYTE_ORDER_MARK
from tiebreak._kernels.reference import GZIP_MAGIC, ZSTD_MAGIC

BYTES = [bytes([byte]) for byte in b" \t\n\r\0\x0b\x7f\xff\xc3#-.,+e19"]
BEGINNINGS = [GZIP_MAGIC, GZIP_MAGIC + b"\x08\0", ZSTD_MAGIC, BYTE_ORDER_MARK, b"\xfe\xff", b"PK\3\4", b"BZh9"]


def change_byte(text, rng):
    place = rng.randrange(len(text) + 1)
    return text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :]


def insert_byte(text, rng):
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(BYTES) + text[place:]


def remove_bytes(text, rng):
    place = rng.randrange(len(text) + 1)
    return text[:place] + text[place + rng.choice([1, 1, 2, 8, 64]) :]


def repeat_bytes(text, rng):
    place, size = rng.randrange(len(text) + 1), rng.choice([1, 2, 8, 64])
    return text[: place + size] * rng.choice([2, 2, 2, 50]) + text[place:]


def cut_off(text, rng):
    return text[: rng.randrange(len(text) + 1)]


def begin_otherwise(text, rng):
    return rng.choice(BEGINNINGS) + text


OF_BYTES = [change_byte, insert_byte, remove_bytes, repeat_bytes, cut_off, begin_otherwise]


def lines_changed(text, rng, others):
    lines = text.split(b"\n")
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        lines.insert(place, rng.choice(others))
    elif kind == 1:
        lines.insert(place, lines[other])
    elif kind == 2:
        lines[place], lines[other] = lines[other], lines[place]
    else:
        rng.shuffle(lines)
    return b"\n".join(lines)


def changed(text, rng, mutations):
    """The same after none or a few of these mutations."""
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 6])):
        text = rng.choice(mutations)(text, rng)
    return text
