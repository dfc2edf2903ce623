"""URLs of PostgreSQL databases whose sessions have other settings."""

from sqlalchemy.engine import make_url


def with_options(url: str, options: str) -> str:
    """Return a URL whose sessions begin with these options, as the server's command line has."""
    return make_url(url).update_query_dict({"options": options}).render_as_string(
        hide_password=False
    )  # fmt: skip


def impatient(url: str, milliseconds: int = 100) -> str:
    """Return a URL whose sessions wait so long for a lock."""
    return with_options(url, f"-c lock_timeout={milliseconds}")
