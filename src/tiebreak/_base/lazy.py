"""Packages that load a name when it is first used, from where their stub imports it, as SPEC 1 proposes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from os.path import join
from typing import Any


def attach_stub(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package: the names that its `__init__.pyi` imports."""
    module: Any = sys.modules[package]
    stub = module.__loader__.get_data(join(module.__path__[0], "__init__.pyi")).decode()
    homes = {name: home for home, name in re.findall(r"^from (\S+) import (\w+)", stub, re.MULTILINE)}
    names = list(homes)

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes[name])
        value = getattr(home, name) if name in vars(home) else import_module(f"{homes[name]}.{name}")
        setattr(module, name, value)
        return value

    return load, lambda: sorted(names), names
