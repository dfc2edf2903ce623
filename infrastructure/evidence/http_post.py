"""POST requests to witnesses and time-stamping authorities."""

import http.client
import urllib.error
import urllib.request
from email.message import Message
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from sabot.domain.values.errors import BadInput, Unavailable

_SECONDS: Final = 30
_MAX_BYTES: Final = 1_000_000


class Answer(NamedTuple):
    """The answer to a POST request."""

    status: int
    kind: str
    body: bytes


def post(url: str, body: bytes, kind: str) -> Answer:
    """Send a request. Return its answer of up to a megabyte.

    Raises:
        BadInput: the address does not begin with http or https.
        Unavailable: there is no answer.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise BadInput(f"{url[:100]!r} is not an address: it begins with https://")
    request = urllib.request.Request(url, data=body, headers={"Content-Type": kind})  # noqa: S310 - checked
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - checked
            return Answer(answer.status, _kind(answer.headers), answer.read(_MAX_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, _kind(error.headers), error.read(_MAX_BYTES))
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise Unavailable(f"{url} does not answer: {reason}; try again") from error


def _kind(headers: Message) -> str:
    return headers.get_content_type()
