"""Blocks of whole requests of a run in TREC's format, plain or compressed: where their lines stand in the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from itertools import pairwise
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.temporary import temporary_file, temporary_folder
from tiebreak._kernels.interface import GZIP_MAGIC, ZSTD_MAGIC, Fault
from tiebreak.inputs import Ids, faults
from tiebreak.inputs.ids import ranges
from tiebreak.inputs.sources import Source, empty_table, reason
from tiebreak.inputs.table_files import open_packed

Places = NDArray[np.int64]
CHUNK = 1 << 21
WIDEST = 64
"""Request ids of more bytes are compared one by one."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SEGMENT_COST = 32
"""Bytes that are held of a segment."""
SPACE, TAB, FEED = b" \t\n"


@dataclass(frozen=True, eq=False)
class Segments:
    """Neighbouring lines of one block: where they begin, how many bytes and lines they are, the number of the first."""

    block: Places
    begin: Places
    size: Places
    line: Places
    lines: Places


@dataclass(frozen=True, eq=False)
class TextBlocks:
    """The lines of a run by block, in their order; those of a request without judgements are all in one block."""

    source: Source
    requests: Ids
    block_of_request: Places
    memory: int

    def __getitem__(self, k: int) -> Source:
        segments = self._segments
        rows = np.flatnonzero(segments.block == k)
        if not len(rows):
            return replace(self.source, kernel=empty_table())
        with self._open() as stream:
            places = zip(segments.begin[rows].tolist(), segments.size[rows].tolist(), strict=True)
            text = b"".join(read_at(stream, begin, size) for begin, size in places)
        lines = ranges(segments.line[rows], segments.lines[rows])
        if text.startswith(BYTE_ORDER_MARK) and segments.begin[rows[0]]:  # here it belongs to an id
            text, lines = b"\n" + text, np.append(0, lines)
        return replace(self.source, kernel=("bytes", text), line_of_row=lines)

    def _open(self) -> BinaryIO:
        kind, where = self.source.kernel
        return BytesIO(where) if kind == "bytes" else open(self._plain_path, "rb")

    @cached_property
    def _plain_path(self) -> str:
        """The file itself, or an unpacked copy."""
        path: str = self.source.kernel[1]
        try:
            with open(path, "rb") as stream:
                first = stream.read(4)
            packed = ".gz" if first.startswith(GZIP_MAGIC) else ".zst" if first == ZSTD_MAGIC else ""
            return unpack(path, packed, self.source) if packed else path
        except OSError as error:
            fault = Fault("io", 0, 0, 0, b"", b"", reason(error).encode())
            faults.raise_input_error(fault, self.source, faults.RUN)

    @cached_property
    def _segments(self) -> Segments:
        block_of = dict(zip(id_bytes(self.requests), self.block_of_request.tolist(), strict=True))
        parts, last, line, begin, held = [], 0, 1, 0, 0
        with self._open() as stream:
            for text in whole_lines(stream):
                starts, rows, names = request_groups(text, is_first=begin == 0)
                block = np.empty(len(rows), dtype=np.int64)
                for k, name in enumerate(names):  # a request without judgements stays where it was first met
                    last = block[k] = last if name is None else block_of.setdefault(name, int(last))
                first = np.flatnonzero(np.append(True, np.diff(block) != 0))
                rows = rows[first]
                size, lines = np.diff(np.append(starts[rows], len(text))), np.diff(np.append(rows, len(starts)))
                parts.append((block[first], begin + starts[rows], size, line + rows, lines))
                held += len(rows) * SEGMENT_COST
                if held > self.memory:
                    name = next(filter(None, reversed(names)), b"")
                    fault = Fault("memory", 0, 0, 0, name, b"", b"")
                    faults.raise_input_error(fault, self.source, faults.RUN, self.memory)
                begin, line = begin + len(text), line + len(starts)
        columns = zip(*parts, strict=True) if parts else [[np.zeros(1, dtype=np.int64)]] * 5
        return Segments(*(np.concatenate(list(column)).astype(np.int64) for column in columns))


def id_bytes(ids: Ids) -> Iterator[bytes]:
    bounds = ids.offsets.tolist()
    return (ids.buffer[a:b] for a, b in pairwise(bounds))


def read_at(stream: BinaryIO, begin: int, size: int) -> bytes:
    stream.seek(begin)
    return stream.read(size)


def whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The text in pieces that end with a line, but for the last."""
    rest = b""
    while chunk := stream.read(CHUNK):
        text = rest + chunk
        end = text.rfind(b"\n") + 1
        end = end or (len(text) if len(text) >= CHUNK else 0)  # an endless line, which the kernels refuse
        if end:
            yield text[:end]
        rest = text[end:]
    if rest:
        yield rest


def request_groups(text: bytes, is_first: bool) -> tuple[Places, Places, list[bytes | None]]:
    """Where lines begin; and the first line of every group of neighbours of a request, with its id.

    None stands where a line has no request: it is blank, or a comment.
    """
    letters = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(letters == FEED)
    ends = ends if len(ends) and ends[-1] == len(text) - 1 else np.append(ends, len(text))
    starts = np.append(0, ends[:-1] + 1)
    blanks = np.append(np.flatnonzero((letters == SPACE) | (letters == TAB)), len(text))
    width = np.minimum(blanks[np.searchsorted(blanks, starts)], ends) - starts
    widest = int(width.max())
    if 0 < widest <= WIDEST:
        columns = np.arange(widest)
        cells = letters[np.minimum(starts[:, None] + columns, len(text) - 1)]
        keys = np.where(columns < width[:, None], cells, 0).view(f"S{widest}")[:, 0]
        rows = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    else:
        rows = np.arange(len(starts))
    bounds = zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)
    return starts, rows, [request_id(text[a:b], is_first and a == 0) for a, b in bounds]


def request_id(line: bytes, is_first: bool) -> bytes | None:
    """The request of a line, if it has one."""
    words = (line.removeprefix(BYTE_ORDER_MARK) if is_first else line).replace(b"\t", b" ").split(b" ")
    name = next(filter(None, words), b"").removesuffix(b"\r")
    return None if not name or name.startswith(b"#") else name


def unpack(path: str, packed: str, source: Source) -> str:
    """An unpacked copy of a compressed file."""
    folder = temporary_folder()
    with temporary_file(os.path.join(folder, "tiebreak-")) as copy:
        try:
            with open_packed(path, packed) as stream:
                while chunk := stream.read(CHUNK):
                    copy.write(chunk)
        except (EOFError, OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            kind = b"gzip" if packed == ".gz" else b"zstd"
            faults.raise_input_error(Fault("compression", 0, 0, 0, b"", b"", kind), source, faults.RUN)
    return copy.name
