"""Every exception of the package arrives whole from another process."""

import inspect
import pickle
from multiprocessing import get_context

import pytest

from tiebreak import errors
from tiebreak.errors import InputError, MissingExtraError, UnknownNameError

MADE = {
    errors.InputError: lambda: InputError("bad", kind="score", file="f", line=3, request="q", item="d"),
    errors.UnknownNameError: lambda: UnknownNameError("measure", "APP", ["AP", "RR"]),
    errors.MissingExtraError: lambda: MissingExtraError("reading parquet", "frames"),
}
CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", CLASSES)
def test_exceptions_survive_pickling(kind):
    error = MADE.get(kind, lambda: kind("a message"))()
    error.add_note("while reading")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(error, protocol))
        assert type(copy) is type(error)
        assert (str(copy), copy.args, vars(copy)) == (str(error), error.args, vars(error))
        assert getattr(copy, "msg", None) == getattr(error, "msg", None)


def fail(kind):
    raise MADE[kind]()


@pytest.mark.parametrize("kind", MADE)
def test_exceptions_of_a_pool_reach_whoever_waits(kind):
    with get_context("fork").Pool(1) as pool, pytest.raises(kind, match=r"bad|APP|parquet"):
        pool.apply_async(fail, (kind,)).get(timeout=20)
