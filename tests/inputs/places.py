"""Positions as tests compare them."""


def places(positions):
    """The rank of every judged item, by request and item, for every run."""
    keys = [
        (positions.requests[int(request)], positions.items[int(item)])
        for request, item in zip(positions.layout.request, positions.item, strict=True)
    ]
    return [dict(sorted(zip(keys, ranks, strict=True))) for ranks in positions.ranks.tolist()]
