"""The JSON schemas: up to date, and true of what each verb writes on the demonstration."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.docs_text.schemas import FINDING, OUTPUTS, schema_of

SCHEMAS = Path(__file__).parents[3] / "infrastructure" / "schemas"
COUP = '{"shoe":"H-1","coup":1,"player":["4d","Th"],"banker":["9s","Kc"],"bets":[]}\n'


def sabot(*arguments: str) -> int:
    return guard(build(), list(arguments))


@pytest.fixture(scope="module")
def folder(evening: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demonstration's log and its access log: an audit is recorded, and a
    finding reviewed."""
    folder = tmp_path_factory.mktemp("schemas")
    log = shutil.copy(evening, str(folder / "sabot.db"))
    assert sabot("audit", "--record", "--by", "olga", "--database", log) == 1
    assert sabot("findings", "ack", FINDING, "--by", "olga", "--database", log) == 0
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv("SABOT_ACCESS_LOG", str(folder / "accesses.log"))
        assert sabot("export", "--database", log, "--output", str(folder / "log.jsonl")) == 0
    (folder / "coups.jsonl").write_text(COUP, encoding="utf-8")
    return folder


def test_schemas_are_listed_and_printed(capsys):
    assert sabot("schemas", "--format", "json") == 0
    listed = {row["schema"]: row["title"] for row in json.loads(capsys.readouterr().out)}
    inputs = {"coup-line", "record-line"}
    assert set(listed) == {output.name for output in OUTPUTS} | inputs | {"report"}
    assert sabot("schemas", "audit") == 0
    assert json.loads(capsys.readouterr().out)["title"] == listed["audit"]
    assert sabot("schemas", "audits") == 2
    assert "did you mean" in capsys.readouterr().err


@pytest.mark.parametrize("output", OUTPUTS, ids=[output.name for output in OUTPUTS])
def test_what_a_verb_writes_is_of_its_schema(output, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SABOT_DATABASE_URL", raising=False)
    monkeypatch.setenv("SABOT_ACCESS_LOG", str(folder / "accesses.log"))
    schema = json.loads((SCHEMAS / f"{output.name}.schema.json").read_text(encoding="utf-8"))
    assert schema == schema_of(output), "run: python -m tests.docs_text.write_schemas"
    capsys.readouterr()
    assert sabot(*output.command, "--format", "json") in {0, 1}
    told = json.loads(capsys.readouterr().out)
    # in the test every key has to be described
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            part["additionalProperties"] = False
    jsonschema.validate(told, schema)
    assert told or output.name in {"store-check", "names-list"}
