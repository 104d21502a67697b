"""The grammar: what it reads, prints back and refuses, and the spellings of other tools."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak._base.spec import DEEPEST, LONGEST, Spec, expand_alias, is_written_whole, parse
from tiebreak.errors import InputError


@pytest.mark.parametrize(
    ("alias", "spec"),
    [
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_10", "P@10"),
        ("recall_1000", "R@1000"),
        ("recip_rank", "RR"),
        ("Rprec", "RP"),
        ("bpref", "bpref"),
        ("success_10", "Success@10"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
        ("NDCG(rel=2)@10", "nDCG(rel=2)@10"),
        ("r-precision-l2", "RP(rel=2)"),
        ("ap(rel=2)@10", "AP(rel=2)@10"),
        ("recall-l2", "R(rel=2)"),
        ("Bpref(rel=2)", "bpref(rel=2)"),
        ("NDCG@5", "nDCG@5"),
        ("MAP@5", "AP@5"),
        ("map@100-l2", "AP(rel=2)@100"),
        ("ndcg@10-l2", "nDCG(rel=2)@10"),
        ("ndcg_burges@10", "nDCG(gain='exp')@10"),
        ("ndcg_burges(rel=2)@10", "nDCG(gain='exp', rel=2)@10"),
        ("ndcg_burges@10-l2", "nDCG(gain='exp', rel=2)@10"),
        ("dcg@10", "DCG@10"),
        ("dcg@10-l2", "DCG(rel=2)@10"),
        ("dcg_burges@10", "DCG(gain='exp')@10"),
        ("mrr@10", "RR@10"),
        ("precision@5", "P@5"),
        ("recall@100-l3", "R(rel=3)@100"),
        ("hit_rate@3", "Success@3"),
        ("r-precision", "RP"),
        ("rbp.95", "RBP(p=0.95)"),
        ("ap", "AP"),
        ("rbp", "RBP(p=0.5)"),
        ("rr", "RR"),
        ("rp", "RP"),
        ("p@20", "P@20"),
        ("r@20", "R@20"),
        ("  AP  ", "AP"),
        ("P.10", "P@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("num_rel_ret", "NumRelRet"),
        ("set_recall", "R"),
        ("SetR(rel=2)", "R(rel=2)"),
        ("set_relative_P", "SetP(relative=true)"),
        ("SetRelP(rel=2)", "SetP(relative=true, rel=2)"),
        ("set_F_2", "SetF(beta=2)"),
        ("set_F.0.5", "SetF(beta=0.5)"),
        ("relative_P_5", "P(relative=true)@5"),
        ("Rprec_mult_0.20", "RP(multiple=0.2)"),
        ("unj.5", "Unjudged@5"),
        ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
        ("iprec_at_recall..5", "IPrec(recall=0.5)"),
        ("IPrec@0.1", "IPrec(recall=0.1)"),
        ("IPrec(rel=2)@1", "IPrec(recall=1, rel=2)"),
        ("11pt_avg", "IAP"),
        ("11pt_avg.0.2,0.5,0.8", "IAP(recalls='0.2,0.5,0.8')"),
        ("utility.1.0,-1.0,0.0,0.0", "utility(1, -1, 0, 0)"),
        ("gm_map", "gm(AP)"),
        ("gm_bpref", "gm(bpref)"),
        ("rbp.p=0.8", "graded_RBP(p=0.8)"),
        ("rbp_resid", "RBP_resid(p=0.9)"),
        ("ndcg_rel", "nDCG_rel"),
        ("Rndcg", "RnDCG"),
        ("ndcg.1=3.5,2=9.0,4=7", "nDCG(gains='1=3.5,2=9.0,4=7')"),
        ("ndcg_rel_2=5", "nDCG_rel(gains='2=5')"),
    ],
)
def test_spellings_of_other_tools_are_understood(alias, spec):
    assert str(parse(alias)) == spec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("leximin(AP)", Spec("leximin", ((None, Spec("AP")),))),
        ("S-Recall@20", Spec("S-Recall", (), 20)),
        ("x(a=-1.5e3, 'y', b=true, c=none, d=f(g@2))", None),
        ('x("it\'s")', Spec("x", ((None, "it's"),))),
        ("RBP( p = 0.8 ) @ 20", Spec("RBP", (("p", 0.8),), 20)),
        ("f(1, .5, +2)", Spec("f", ((None, 1), (None, 0.5), (None, 2)))),
    ],
)
def test_grammar_is_read(text, expected):
    actual = parse(text)
    if expected is not None:
        assert actual == expected
    else:
        assert actual.arguments == (
            ("a", -1500.0),
            (None, "y"),
            ("b", True),
            ("c", None),
            ("d", Spec("f", ((None, Spec("g", (), 2)),))),
        )


names = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,5}(-[A-Za-z]{1,3})?", fullmatch=True).filter(
    lambda n: n.lower() not in ("true", "false", "none") and str(parse(n)) == n
)
plain = st.one_of(
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
    st.text(st.characters(blacklist_characters="'", blacklist_categories=("Cs",)), max_size=8),
)
specs = st.recursive(
    st.builds(Spec, names),
    lambda inner: st.builds(
        Spec,
        names,
        st.lists(st.tuples(st.one_of(st.none(), st.just("key")), st.one_of(plain, inner)), max_size=3).map(tuple),
        st.one_of(st.none(), st.integers(1, 10**6)),
    ),
    max_leaves=4,
)


@given(specs)
def test_spec_prints_back_to_what_was_read(spec):
    text = str(spec)
    if len(text) <= LONGEST:
        assert str(parse(text)) == text


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    with suppress(InputError):
        assert isinstance(parse(text), Spec)


@pytest.mark.parametrize(
    "text", ["", " ", "@10", "AP@", "AP@0", "AP@1.5", "AP@-1", "AP(", "AP()", "AP(rel=)", "AP)", "A B", "é", "AP@10@20"]
)
def test_what_is_no_spec_is_refused(text):
    with pytest.raises(InputError, match="cannot be read"):
        parse(text)


@pytest.mark.parametrize("name", ["input.x", "2019-x", "my run", "runs/a.run"])
def test_names_that_need_quotes_are_told_so(name):
    with pytest.raises(InputError, match=re.escape(f"If {name} is a name, it needs quotes: baseline='{name}'.")):
        parse(f"urisk(AP, baseline={name}, alpha=2)")
    assert parse(f"urisk(AP, baseline='{name}', alpha=2)").arguments[1] == ("baseline", name)


@pytest.mark.parametrize(
    "text", ["urisk(AP baseline=x)", "urisk(AP, baseline=x", "RBP(p=0.8)@@", "urisk.x(baseline=x)"]
)
def test_only_values_need_quotes(text):
    with pytest.raises(InputError, match="Write NAME, NAME@CUTOFF or NAME"):
        parse(text)


def test_length_depth_and_numbers_are_bounded():
    for number in ("1e999", "9" * 400, str(2**63)):
        with pytest.raises(InputError, match="is too large"):
            parse(f"AP({number})")
    with pytest.raises(InputError, match="longer than"):
        parse("a" * (LONGEST + 1))
    with pytest.raises(InputError, match="nested more than"):
        parse("f(" * (DEEPEST + 2) + "x" + ")" * (DEEPEST + 2))


def test_aliases_keep_their_arguments():
    aliases = {"sgnLP": "LexiPrecision", "dcgrpp": "RPP(weights='dcg')"}
    assert expand_alias("sgnLP(rel=2)", aliases) == "LexiPrecision(rel=2)"
    assert expand_alias("dcgrpp(rel=2)", aliases) == "RPP(weights='dcg', rel=2)"


def test_decimals_with_more_digits_than_a_float_holds_are_recognised():
    assert is_written_whole("0.80") and not is_written_whole("0.80000000000000000001")
