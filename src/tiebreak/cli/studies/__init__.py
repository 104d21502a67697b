"""One thin file per study: parse, call, print, draw."""
