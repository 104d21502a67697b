"""Ids and ranges of entries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.inputs import ids as module
from tiebreak.inputs.ids import Ids, ranges

LETTERS = st.text(st.sampled_from("ab1\0é日"), max_size=20)


def test_ids_are_a_sequence_of_text():
    ids = Ids.from_names(["q1", "q22", 3])
    assert (len(ids), ids[1], list(ids)) == (3, "q22", ["q1", "q22", "3"])


@pytest.mark.parametrize("few", [0, module.FEW], ids=["by words", "one by one"])
@given(names=st.lists(LETTERS | st.text("z", max_size=70)))
def test_order_is_that_of_bytes(few, names):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", few)
        places = Ids.from_names(names).places_in_order
    assert [names[k] for k in np.argsort(places)] == sorted(names, key=str.encode)
    assert sorted(places.tolist()) == [*range(len(names))]
    repeated = [place for place, name in zip(places.tolist(), names, strict=True) if name == (names or [""])[0]]
    assert repeated == sorted(repeated), "equal ids stay in their order"


def test_ranges_follow_one_another():
    assert ranges(np.array([7, 2]), np.array([2, 3])).tolist() == [7, 8, 2, 3, 4]
