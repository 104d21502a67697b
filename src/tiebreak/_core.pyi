from typing import Any

from tiebreak._interface import Judged, Options, Source, Tick

INTERFACE: int

def read_judgements(source: Source, tick: Tick | None, /) -> tuple[Any, Any]: ...
def project(sources: list[Source], judged: Judged, options: Options, tick: Tick | None, /) -> tuple[Any, Any]: ...
