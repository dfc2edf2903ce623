"""The error of a value in the summary tables that no projector of Sabot writes."""

from sabot.domain.values.errors import BadInput


def wrong_views(what: str) -> BadInput:
    """Return the error, with the commands that find the value and put it right."""
    return BadInput(
        f"the summary tables are wrong: {what}. Somebody changed them, or the disk is damaged: "
        "`sabot store check --views` finds what, `sabot project --rebuild` makes them anew"
    )
