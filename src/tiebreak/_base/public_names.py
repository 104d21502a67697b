"""The names of objects that tab completion shows."""

from __future__ import annotations


def public_names(thing: object) -> list[str]:
    """The public names of an object, for its `__dir__`, without the `_internals` that its classes list."""
    internals = {name for cls in type(thing).__mro__ for name in vars(cls).get("_internals", ())}
    return [name for name in object.__dir__(thing) if not name.startswith("_") and name not in internals]
