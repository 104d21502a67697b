"""Names and numbers as text."""

from tiebreak._base.text import escape_controls, join_names, plural


def test_nouns_follow_their_number():
    assert [plural(1, "request"), plural(2000, "request"), plural(0, "query")] == [
        "1 request",
        "2,000 requests",
        "0 queries",
    ]


def test_long_lists_of_names_are_cut():
    assert (join_names("abc"), join_names("abc", most=2)) == ("a, b, c", "a, b and 1 more")


def test_control_characters_are_escaped():
    assert escape_controls("a\x1b[2J\tb\n", keep="\n") == "a\\x1b[2J\\tb\n"
