"""What the tests of several verbs share."""

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the log of the demonstration, for tests that only read it."""
    path = tmp_path_factory.mktemp("evening") / "demo.sabot"
    assert guard(build(), ["demo", "--database", str(path)]) == 0
    return str(path)
