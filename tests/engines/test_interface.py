"""What crosses between the package and its kernels is the same on both sides."""

import ast
import inspect

import numpy as np
import pytest

from engines.comparing import judged_by
from tiebreak._kernels.interface import INTERFACE, Options
from tiebreak.inputs.faults import SENTENCES

TWIN_ONLY = {"needs_zstd"}
RUN = ("bytes", b"q1 0 d1 1 2 t\nq1 0 d2 2 1 t\n")
GRADES = {"q1": {"d1": 1, "d2": 0}}


def test_core_and_package_have_the_same_interface(core, twin):
    assert core.INTERFACE == twin.INTERFACE == INTERFACE


def test_every_kind_of_fault_has_a_sentence(core):
    assert {*core.FAULT_KINDS} == {*SENTENCES} - TWIN_ONLY
    assert len({*core.FAULT_KINDS}) == len(core.FAULT_KINDS)


def test_twin_raises_faults_of_these_kinds_only(twin):
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(twin))) if isinstance(node, ast.Call)]
    raising = [call for call in calls if ast.unparse(call.func).rpartition(".")[2] in ("Stop", "stop")]
    kinds = {call.args[0].value for call in raising if call.args and isinstance(call.args[0], ast.Constant)}
    assert kinds | {"long_line"} <= {*SENTENCES}
    assert kinds > TWIN_ONLY | {"columns", "duplicate", "memory"}


def test_options_are_read_by_name(core):
    class Reordered:
        def __init__(self):
            for name, value in reversed(Options(top=1)._asdict().items()):
                setattr(self, name, value)

    judged = judged_by(GRADES)
    _, projection = core.project([RUN], judged, Reordered(), None)
    assert len(projection[6][0][1][1]) == 2  # one item, so two offsets
    with pytest.raises(AttributeError, match="depth"):
        core.project([RUN], judged, tuple(Options()), None)


def test_option_that_does_not_fit_is_named(core):
    with pytest.raises(TypeError, match="depth"):
        core.project([RUN], judged_by(GRADES), Options(depth=-1), None)


def test_arrays_of_the_core_are_owned_by_whoever_holds_them(core):
    _, projection = core.project([RUN], judged_by(GRADES), Options(), None)
    ranks, scores = projection[0], projection[4]
    del projection
    assert ranks.flags.writeable and ranks.flags.c_contiguous and ranks.dtype == np.int32
    assert scores.tolist() == [[1.0, 2.0]] and scores.dtype == np.float64
    ranks[:] = 7  # what is written stays
    assert ranks.tolist() == [[7] * ranks.shape[1]]


def test_empty_arrays_of_the_core_have_their_type_and_shape(core):
    fault, projection = core.project([], judged_by(GRADES), Options(), None)
    assert fault is None
    assert projection[0].shape[0] == 0 and projection[0].dtype == np.int32
    assert core.largest_differences("values", np.zeros(0, dtype=np.int64), 2, (0, 0, 0), 1, None).shape == (0,)


@pytest.mark.parametrize(
    "rows", [np.zeros((2, 2), dtype=np.int64), np.zeros(8, dtype=np.int64)[::2], [0, 0], None, np.zeros(4, dtype=">i8")]
)
def test_what_is_no_contiguous_array_of_one_dimension_is_refused(core, rows):
    with pytest.raises(TypeError):
        core.largest_differences("values", rows, 2, (0, 0, 1), 1, None)


def test_arrays_that_cannot_be_written_are_read(core):
    rows = np.arange(4)
    rows.flags.writeable = False
    assert core.largest_differences("values", rows, 2, (0, 0, 3), 1, None).shape == (3,)
