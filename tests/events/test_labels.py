"""The labels of posts, requests and reasons, and the sentences of the log that use them."""

from typing import get_args

import pytest

from sabot.cli.text.event_text import describe
from sabot.domain import events as ev
from sabot.domain.events import labels
from sabot.domain.events.people import PassReason, Post, RequestKind
from sabot.domain.events.shoe import BurnReason

LABELS = (
    (Post, labels.post_label),
    (RequestKind, labels.request_label),
    (BurnReason, labels.burn_label),
    (PassReason, labels.pass_label),
    (ev.EndOfShoe, labels.shoe_end_label),
)


@pytest.mark.parametrize(("names", "label"), LABELS, ids=lambda each: getattr(each, "__name__", ""))
def test_every_name_has_a_label_without_a_hyphen(names, label):
    said = [label(name) for name in get_args(names)]
    assert len(set(said)) == len(said) > 1
    assert not [each for each in said if "-" in each or not each.strip()]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (ev.ShoeEnded(reason="cut-card"), "the shoe is over (cut card reached)"),
        (ev.ShoePassed("ann", "pack-ended"), "ann gives up the shoe (all cards dealt)"),
        (ev.CrewChanged("payer-1", "pete"), "pete takes the post of payer 1"),
        (ev.CrewChanged("payer-1", None), "the post of payer 1 is left empty"),
        (ev.CardBurned(None, reason="dead-game"), "burned face down (dead game)"),
        (ev.RequestMade("ann", "keep-decks", granted=False), "ann asks to keep the decks: refused"),
        (
            ev.IrregularityNoted("wrong-draw", "play-on", by="sue", coup=3),
            "irregularity: a wrong draw; ruling: play on, by sue, in coup 3",
        ),
        (ev.ShoeShuffled("dan", method="machine"), "shuffled by dan with the shuffler"),
    ],
    ids=str,
)  # fmt: skip
def test_the_log_tells_an_event_in_words(event, said):
    assert describe(event) == said
