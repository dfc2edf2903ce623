"""Names of people, compared as their readers would."""

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """Return a name regardless of case, character width and spaces.

    >>> plain_name(" Dora  K") == plain_name("dora k")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
