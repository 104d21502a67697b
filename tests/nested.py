"""Rows of a result as nested dictionaries, for tests that look one value up."""


def nested(result, *keys, value="value"):
    """``{first: {second: ... value}}`` by the columns named."""
    actual = {}
    for record in result.records():
        inner = actual
        for key in keys[:-1]:
            inner = inner.setdefault(record[key], {})
        inner[record[keys[-1]]] = record[value]
    return actual
