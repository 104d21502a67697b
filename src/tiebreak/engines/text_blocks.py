"""Blocks of whole requests of a run in TREC's format, plain or compressed, whatever the order of its lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.locks import PrivateLock
from tiebreak._kernels.interface import GZIP_MAGIC, ZSTD_MAGIC, Fault, Tick
from tiebreak.engines.scratch_file import ScratchFile, writing_for
from tiebreak.inputs import Ids, faults
from tiebreak.inputs.ids import ranges
from tiebreak.inputs.sources import OURS, Source, empty_table, reason
from tiebreak.inputs.table_files import open_packed

Places = NDArray[np.int64]
CHUNK = 1 << 21
WIDEST = 64
"""Request ids of more bytes are compared one by one."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SEGMENT_COST = 40
"""Bytes that are held of a segment."""
MOST_SEGMENTS = 1 << 20
"""Of a file whose lines are read from where they stand."""
NOTHING = (np.zeros(1, dtype=np.int64),) * 5
"""The segment of an empty file, which the kernels refuse."""
UNKNOWN = -1
"""The block of blank lines and comments before the first request: that of the request, once it is known.

A block of nothing else would be refused as an empty file.
"""
Text: TypeAlias = "str | bytes | ScratchFile"
"""The path of a file, text in memory, or an unpacked copy."""
NUMBER = np.dtype(np.int64)
"""Of the number of a line in a copy."""
SPACE, TAB, FEED = b" \t\n"


@dataclass(frozen=True, eq=False)
class Segments:
    """Neighbouring lines of one block: where they begin, how many bytes and lines they are, the number of the first.

    In a `copy` whose lines are sorted by block, `line` is where the numbers of the lines are.
    """

    block: Places
    begin: Places
    size: Places
    line: Places
    lines: Places
    copy: ScratchFile | None = None

    def __len__(self) -> int:
        return len(self.block)

    @classmethod
    def join(cls, parts: Sequence[Segments], copy: ScratchFile | None = None) -> Segments:
        columns = [(part.block, part.begin, part.size, part.line, part.lines) for part in parts] or [NOTHING]
        block, begin, size, line, lines = map(np.concatenate, zip(*columns, strict=True))
        first = next(iter(block[block != UNKNOWN]), 0)
        return cls(np.where(block == UNKNOWN, first, block), begin, size, line, lines, copy)

    def read(self, stream: BinaryIO, rows: Places) -> tuple[bytes, Places]:
        """The lines of some segments, and their numbers."""
        lines = self.lines[rows]
        text = read_pieces(stream, self.begin[rows], self.size[rows])
        if self.copy is None:
            return text, ranges(self.line[rows], lines)
        return text, np.frombuffer(read_pieces(stream, self.line[rows], NUMBER.itemsize * lines), dtype=NUMBER)


class Chunk(NamedTuple):
    """Some lines of a file: their text, and where each begins; of neighbours in one block the first, and the block.

    `begin` and `line` are the place and the number of the first line of all.
    """

    text: bytes
    starts: Places
    rows: Places
    block: Places
    begin: int
    line: int

    @property
    def segments(self) -> Segments:
        size = np.diff(np.append(self.starts[self.rows], len(self.text)))
        lines = np.diff(np.append(self.rows, len(self.starts)))
        return Segments(self.block, self.begin + self.starts[self.rows], size, self.line + self.rows, lines)

    def write(self, copy: ScratchFile) -> Segments:
        """Add the lines to a copy, sorted by block but otherwise in their order, and after them their numbers."""
        block = np.repeat(self.block, np.diff(np.append(self.rows, len(self.starts))))
        order = np.argsort(block, kind="stable")
        lines = Ids(self.text, np.append(self.starts, len(self.text))).take(order)
        rows = np.flatnonzero(np.append(True, np.diff(block[order]) != 0))
        begin, numbers = copy.write(lines.buffer), copy.write((self.line + order).astype(NUMBER).data)
        ordered = Chunk(lines.buffer, lines.offsets[:-1], rows, block[order][rows], begin, 0).segments
        return replace(ordered, line=numbers + NUMBER.itemsize * rows)


@dataclass(eq=False)
class TextBlocks:
    """The lines of a run by block, in their order; those of a request without judgements are all in one block.

    They are read from where they stand in the file; where they are in no order, from a copy that is sorted by block.
    """

    source: Source
    blocks: RequestBlocks
    memory: int
    _lock: PrivateLock = field(default_factory=PrivateLock, init=False, repr=False)
    _text: Text | None = field(default=None, init=False, repr=False)
    _segments: Segments | None = field(default=None, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies, which make their own temporary files."""
        return vars(self) | {"_text": None, "_segments": None}

    def __getitem__(self, k: int) -> Source:
        segments = self.prepare()
        rows = np.flatnonzero(segments.block == k)
        if not len(rows):
            return replace(self.source, kernel=empty_table())
        with open_text(segments.copy or self.text) as stream:
            text, lines = segments.read(stream, rows)
        if text.startswith(BYTE_ORDER_MARK) and lines[0] > 1:  # here it belongs to an id
            text, lines = b"\n" + text, np.append(0, lines)
        return replace(self.source, kernel=("bytes", text), line_of_row=lines)

    @property
    def size(self) -> int:
        """The bytes of the text."""
        with open_text(self.text) as stream:
            return stream.seek(0, os.SEEK_END)

    def prepare(self, tick: Tick | None = None) -> Segments:
        """The lines of blocks, found once; `tick` is called with the bytes that were looked at, and all of them."""
        with self._lock:
            if self._segments is None:
                self._segments = self._find_segments(tick)
            return self._segments

    @property
    def text(self) -> Text:
        """The text, unpacked once."""
        with self._lock:
            if self._text is None:
                self._text = plain_text(self.source)
            return self._text

    def _find_segments(self, tick: Tick | None) -> Segments:
        parts, count = [], 0
        for chunk in self._chunks(tick):
            parts.append(chunk.segments)
            count += len(parts[-1])
            if count > MOST_SEGMENTS:
                return self._sort(tick)
        return Segments.join(parts)

    def _sort(self, tick: Tick | None) -> Segments:
        """Copy all lines to a temporary file, sorted by block."""
        label, problem = self.source.label, "its lines cannot be sorted in"
        with writing_for(label, problem):
            copy = ScratchFile()
        parts, held = [], 0
        for chunk in self._chunks(tick):
            with writing_for(label, problem):
                parts.append(chunk.write(copy))
            held += len(parts[-1]) * SEGMENT_COST
            if held > self.memory:
                fault = Fault("memory", 0, 0, 0, chunk.text.split(None, 1)[0], b"", b"")
                faults.raise_input_error(fault, self.source, faults.RUN, self.memory)
        return Segments.join(parts, copy)

    def _chunks(self, tick: Tick | None) -> Iterator[Chunk]:
        """The lines of the file in their order, and the block of each."""
        last, line, begin, size = UNKNOWN, 1, 0, self.size
        with open_text(self.text) as stream:
            for text in whole_lines(stream):
                starts, rows, names = request_groups(text, is_first=begin == 0)
                block = np.empty(len(rows), dtype=np.int64)
                known = iter(self.blocks.find([name for name in names if name is not None]))
                for k, name in enumerate(names):
                    last = block[k] = last if name is None else next(known)
                first = np.flatnonzero(np.append(True, np.diff(block) != 0))
                yield Chunk(text, starts, rows[first], block[first], begin, line)
                begin, line = begin + len(text), line + len(starts)
                if tick is not None:
                    tick(begin, size)


class RequestBlocks(Protocol):
    """In which block every request is, judged or not."""

    def find(self, names: Sequence[bytes]) -> list[int]: ...


@dataclass(frozen=True, eq=False)
class JudgedBlocks:
    """The block of each judged request. That of another one is told by its name: they may be too many to hold."""

    requests: Ids
    block_of_request: Places
    n_blocks: int

    def find(self, names: Sequence[bytes]) -> list[int]:
        blocks = self._blocks_by_name
        return [blocks[name] if name in blocks else crc32(name) % self.n_blocks for name in names]

    @cached_property
    def _blocks_by_name(self) -> dict[bytes, int]:
        return dict(zip(id_bytes(self.requests), self.block_of_request.tolist(), strict=True))


def id_bytes(ids: Ids) -> Iterator[bytes]:
    bounds = ids.offsets.tolist()
    return (ids.buffer[a:b] for a, b in pairwise(bounds))


def read_pieces(stream: BinaryIO, begins: Places, sizes: Places) -> bytes:
    def read(begin: int, size: int) -> bytes:
        stream.seek(begin)
        return stream.read(size)

    return b"".join(map(read, begins.tolist(), sizes.tolist()))


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
        is_new = (keys[1:] != keys[:-1]) | (width[1:] == 0)  # an id after blanks is not in its key
        is_new[:1] |= is_first and text.startswith(BYTE_ORDER_MARK)  # which is no part of the first id
        rows = np.flatnonzero(np.append(True, is_new))
    else:
        rows = np.arange(len(starts))
    bounds = zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)
    return starts, rows, [request_id(text[a:b], is_first and a == 0) for a, b in bounds]


def request_id(line: bytes, is_first: bool) -> bytes | None:
    """The request of a line, if it has one."""
    words = (line.removeprefix(BYTE_ORDER_MARK) if is_first else line).replace(b"\t", b" ").split(b" ")
    name = next(filter(None, words), b"").removesuffix(b"\r")
    return None if not name or name.startswith(b"#") else name


def plain_text(source: Source) -> Text:
    """The text of a run: of a compressed file an unpacked copy, or, if it is damaged, its first bytes.

    These are refused by the kernels, as the whole is, after the faults of files before it.
    """
    where: str | bytes = source.kernel[1]
    if isinstance(where, bytes):
        return where
    try:
        with open(where, "rb") as stream:
            first = stream.read(4)
        packed = ".gz" if first.startswith(GZIP_MAGIC) else ".zst" if first == ZSTD_MAGIC else ""
        return (unpack(where, packed, source.label) or first) if packed else where
    except OSError as error:
        fault = Fault("io", 0, 0, 0, b"", b"", reason(error).encode())
        faults.raise_input_error(fault, source, faults.RUN)


def unpack(path: str, packed: str, label: str) -> ScratchFile | None:
    """An unpacked copy of a compressed file; None if that is damaged."""
    problem = "it cannot be unpacked in"
    with writing_for(label, problem):
        copy = ScratchFile()
    try:
        with open_packed(path, packed) as stream:
            while chunk := stream.read(CHUNK):
                with writing_for(label, problem):
                    copy.write(chunk)
    except OURS:
        raise
    except Exception as error:  # every library has its own
        if isinstance(error, OSError) and error.errno:
            raise
        return None
    return copy


def open_text(text: Text) -> BinaryIO:
    """A text as one reader has it."""
    if isinstance(text, ScratchFile):
        return text.open()
    return BytesIO(text) if isinstance(text, bytes) else open(text, "rb")
