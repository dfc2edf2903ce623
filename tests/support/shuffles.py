"""Poor or false shuffles: riffles, cuts and slugs. The program does not use them."""


def riffled(rng, cards, times):
    """Riffle so many times (Gilbert, Shannon and Reeds): a card comes from a part by its size."""
    for _ in range(times):
        at = sum(rng.random() < 0.5 for _ in cards)
        parts = [list(reversed(cards[:at])), list(reversed(cards[at:]))]
        cards = []
        while parts[0] or parts[1]:
            whole = len(parts[0]) + len(parts[1])
            cards.append(parts[rng.random() * whole >= len(parts[0])].pop())
    return cards


def cut(rng, cards):
    """Cut at a random place."""
    at = rng.randrange(len(cards))
    return cards[at:] + cards[:at]


def slugged(rng, old, new, length, *, backwards=False, most=380):
    """Put a run of the old order into the new one, from place 20 on, and keep the same cards."""
    start = rng.randrange(len(old) - length)
    slug = old[start : start + length]
    rest = list(new)
    for card in slug:
        rest.remove(card)
    at = rng.randrange(20, most - length)
    return rest[:at] + (slug[::-1] if backwards else slug) + rest[at:]
