"""Commands about the shoe and the people at the table."""

from typing import Final, get_args

from sabot.cli.deal.parser import (
    Speech,
    Words,
    has_count,
    misused,
    name,
    number,
    one_of,
    positive,
    rest,
)
from sabot.domain import events as ev
from sabot.domain.events.people import PassReason, RequestKind
from sabot.domain.events.shoe import BurnReason
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.values.errors import BadInput

Events = list[ev.ShoeEvent]
_BURN_REASONS: Final[tuple[BurnReason, ...]] = get_args(BurnReason)
_PASS_REASONS: Final[tuple[PassReason, ...]] = get_args(PassReason)
_REQUESTS: Final[tuple[RequestKind, ...]] = get_args(RequestKind)
_POSTS: Final[tuple[ev.Post, ...]] = get_args(ev.Post)
_ENDS: Final[tuple[ev.EndOfShoe, ...]] = get_args(ev.EndOfShoe)


def inspect(speech: Speech, words: Words) -> Events:
    """Inspect the cards."""
    by = name(words[0]) if words else speech.house
    return [ev.CardsInspected(by, rest(words[1:]))]


def shuffle(speech: Speech, words: Words) -> Events:
    """Shuffle, by hand or by a machine."""
    by = name(words[0]) if words else speech.house
    if len(words) <= 1:
        return [ev.ShoeShuffled(by)]
    how, *serial = words[1:]
    if how != "machine" or serial[1:]:
        misused("shuffle [NAME [machine [SERIAL]]]")
    return [ev.ShoeShuffled(by, "machine", name(serial[0]) if serial else None)]


def cut(speech: Speech, words: Words) -> Events:
    """Cut the cards, or record to whom the cut was offered and who refused it."""
    if words[2:]:
        misused("cut [NAME [DEPTH]], or cut offered NAME, or cut refused NAME")
    said: dict[str, type[ev.CutOffered | ev.CutRefused]]
    said = {"offered": ev.CutOffered, "refused": ev.CutRefused}
    if has_count(words, 2) and words[0] in said:
        return [said[words[0]](name(words[1]))]
    by = name(words[0]) if words else speech.house
    return [ev.ShoeCut(by, number(words[1], "the depth") if words[1:] else None)]


def stop(_speech: Speech, words: Words) -> Events:
    """Place the cut card, with the given number of cards behind it."""
    if len(words) != 1:
        misused("stop CARDS-BEHIND")
    return [ev.StopCardPlaced(number(words[0], "the place of the cut card"))]


def burn(speech: Speech, words: Words) -> Events:
    """Burn the next card, face up if it is named or has to be shown."""
    due = next_action(speech.shoe)
    opening = due.expects in ("burn-up", "burn-down")
    reason: BurnReason = "opening" if opening else "other"
    if words and words[-1] in _BURN_REASONS:
        *words, last = words
        reason = one_of(last, "a reason", _BURN_REASONS)
    coup = speech.shoe.current.number if speech.shoe.current is not None else None
    card = None
    if words or (due.expects == "burn-up" and speech.ahead is not None):
        card = speech.next_card(words)
    return [ev.CardBurned(card, speech.place(), reason, coup)]


def offer(speech: Speech, words: Words) -> Events:
    """Offer the shoe to a patron, with the bank to match if given."""
    if not has_count(words, 1, 2):
        misused("offer PATRON [AMOUNT]")
    amount = speech.amount(words[1]) if words[1:] else None
    return [ev.ShoeOffered(name(words[0]), amount)]


def takes(speech: Speech, words: Words) -> Events:
    """Give the shoe to the named patron, or to the patron to whom it was offered."""
    by = words[0] if words else speech.shoe.offered
    if by is None:
        misused("takes NAME")
    return [ev.ShoeTaken(name(by))]


def refuses(speech: Speech, words: Words) -> Events:
    """Refuse the shoe."""
    by = words[0] if words else speech.shoe.offered
    if by is None:
        misused("refuses NAME")
    return [ev.ShoeRefused(name(by))]


def passes(speech: Speech, words: Words) -> Events:
    """Give the shoe up."""
    reason = one_of(words[0], "a reason", _PASS_REASONS) if words else "chosen"
    return [ev.ShoePassed(speech.shoe.holder or speech.house, reason)]


def seat(_speech: Speech, words: Words) -> Events:
    """Seat a patron."""
    if not has_count(words, 2):
        misused("seat NUMBER PATRON")
    return [ev.PatronSeated(positive(words[0], "a seat"), name(words[1]))]


def leave(_speech: Speech, words: Words) -> Events:
    """Record that a patron left."""
    if len(words) != 1:
        misused("leave PATRON")
    return [ev.PatronLeft(name(words[0]))]


def crew(_speech: Speech, words: Words) -> Events:
    """Assign a person to a post. A dash leaves the post empty."""
    if not has_count(words, 2):
        misused("crew POST NAME, or crew POST -")
    post = one_of(words[0], "a post", _POSTS)
    person = None if words[1] == "-" else name(words[1])
    return [ev.CrewChanged(post, person)]


def limits(speech: Speech, words: Words) -> Events:
    """Set the table limits: MIN-MAX, or WAGER MIN-MAX for one wager; MIN- has no maximum."""
    found = []
    wager = None
    for word in words:
        if word == "displayed":
            continue
        least, dash, most = word.partition("-")
        if dash and least[:1].isdigit():
            highest = speech.amount(most) if most else ev.MAX_INT
            found.append(ev.Limit(speech.amount(least), highest, wager))
            wager = None
        else:
            wager = name(word)
    if not found or wager is not None:
        misused("limits MIN-MAX [WAGER MIN-MAX]… [displayed]")
    return [ev.LimitsChanged(tuple(found), displayed="displayed" in words or None)]


def request(speech: Speech, words: Words) -> Events:
    """Record a patron's request.

    Requests matter for detection: they can prepare the cards long before any bet.
    """
    if len(words) <= 1:
        misused("request PATRON KIND [granted|refused] [DETAIL…]")
    patron, kind, *more = words
    granted = {"granted": True, "refused": False}.get(more[0]) if more else None
    detail = rest(more[1:] if granted is not None else more)
    coup = speech.shoe.current.number if speech.shoe.current is not None else None
    asked = one_of(kind, "a request", _REQUESTS)
    return [ev.RequestMade(name(patron), asked, granted, detail, coup)]


def cut_card(speech: Speech, words: Words) -> Events:
    """Record that the cut card appeared."""
    if words:
        misused("cut card")
    coup = speech.shoe.current.number if speech.shoe.current is not None else None
    return [ev.CutCardReached(len(speech.shoe.left), coup)]


def last_coup(speech: Speech, words: Words) -> Events:
    """Announce the last coup."""
    if words:
        misused("last coup")
    current = speech.shoe.current
    number_due = current.number if current is not None else max(speech.shoe.coups, default=0) + 1
    return [ev.LastCoupCalled(number_due)]


def end(speech: Speech, words: Words) -> Events:
    """End the shoe, with the number of cards left if they were counted."""
    left = max(0, speech.shoe.size - len(speech.shoe.left))
    reason = _reason_due(speech)
    for word in words:
        if word.isdigit():
            left = number(word, "the cards left")
        else:
            reason = one_of(word, "a reason", _ENDS)
    if reason is None:
        others = ", ".join(f"end {reason}" for reason in _ENDS if reason != "cut-card")
        raise BadInput(
            f"the cut card has not appeared; give the reason why the shoe ends: {others}"
        )
    return [ev.ShoeEnded(left=left, reason=reason)]


def _reason_due(speech: Speech) -> ev.EndOfShoe | None:
    """Return why the shoe ends by the procedure. None if it does not end yet."""
    due = next_action(speech.shoe).payload
    if isinstance(due, ev.ShoeEnded):
        return due.reason
    return None if speech.shoe.cut_card is None else "cut-card"
