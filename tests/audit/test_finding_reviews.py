"""The state of a finding, derived from remarks and from audits.

A step is a remark with its author ("ack olga"), or an audit at that index: "gone" and "there" as
the log was then, with an author if the event with that index is a correction.
"""

from sabot.domain.audit.finding_reviews import FindingReview, ReviewEntry, Sighting
from tests.support.for_each import for_each

SAID = {
    "ack": ("acknowledged", None),
    "comment": ("commented", None),
    "dispute": ("disputed", None),
    "confirm": ("resolved", "confirmed"),
    "dismiss": ("resolved", "dismissed"),
}


def state(*steps: str):
    review = FindingReview("0" * 64, "x", "shoe/H", "H", 1)
    sightings = []
    for index, step in enumerate(steps, 1):
        what, _, by = step.partition(" ")
        if what in SAID:
            name, outcome = SAID[what]
            review.remarks.append(
                ReviewEntry(name, by, f"2026-11-22T20:00:0{index}.5Z", index, "why", outcome)
            )  # type: ignore[arg-type]
        else:
            made = (by, f"2026-11-22T20:00:0{index}.5Z", "why") if by else ()
            sightings.append(Sighting(index, what == "there", *made))
    return review.state(sightings)


@for_each(
    ("steps", "told", "unresolved"),
    [
        (["comment olga"], "open", True),
        (["ack olga"], "acknowledged by olga, 1: why", True),
        (["ack olga", "comment bob"], "acknowledged by olga, 1: why", True),
        (["ack olga", "dispute bob"], "disputed by bob, 2: why", True),
        (["dismiss olga"], "resolved as dismissed by olga, 1: why", False),
        (["dismiss olga", "dispute bob"], "disputed by bob, 2: why", True),
        # a correction removes the breach, and resolves what nobody had resolved
        (["ack olga", "gone eve"], "removed by a correction by eve, 2: why", False),
        (["comment olga", "gone eve"], "removed by a correction by eve, 2: why", False),
        (
            ["confirm olga", "gone eve"],
            "resolved as confirmed by olga, 1: why; no longer found",
            False,
        ),
        (
            ["ack olga", "gone eve", "dispute bob"],
            "disputed by bob, 3: why; no longer found",
            False,
        ),
        # an event that came late removes it, or other rules: nobody has resolved it
        (["ack olga", "gone"], "acknowledged by olga, 1: why; no longer found", False),
        # found again
        (["ack olga", "gone eve", "there ivy"], "open, found again by ivy, 3: why", True),
        (["ack olga", "gone eve", "there"], "open, found again", True),
        (["confirm olga", "gone", "there"], "open, found again", True),
        (["ack olga", "gone", "there"], "acknowledged, found again by olga, 1: why", True),
        (
            ["ack olga", "gone eve", "there ivy", "dismiss olga"],
            "resolved as dismissed, found again by olga, 4: why",
            False,
        ),
        (
            ["ack olga", "gone eve", "there ivy", "gone eve"],
            "removed by a correction by eve, 4: why",
            False,
        ),
        # what is still there changes nothing
        (["confirm olga", "there", "there ivy"], "resolved as confirmed by olga, 1: why", False),
    ],
)
def test_the_state_after(steps, told, unresolved):
    found = state(*steps)
    text = found.text.replace("2026-11-22T20:00:0", "").replace("Z", "")
    assert (text, found.is_unresolved) == (told, unresolved)
