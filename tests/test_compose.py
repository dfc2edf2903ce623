"""docker-compose.yml, held against the Compose specification and against the program."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer
import yaml

from sabot.cli.main import build

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def specification() -> dict[str, Any]:
    vendored = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    return json.loads(vendored.read_text())


def test_it_is_a_compose_file(compose: dict[str, Any], specification: dict[str, Any]) -> None:
    jsonschema.validate(compose, specification)


def test_the_specification_would_refuse_a_slip(
    compose: dict[str, Any], specification: dict[str, Any]
) -> None:
    slip = json.loads(json.dumps(compose))
    slip["services"]["postgres"]["healthcheck"]["retires"] = 3
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(slip, specification)


def test_nothing_starts_before_what_it_needs(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert "healthcheck" in services["postgres"]
    assert services["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    needs = services["sabot"]["depends_on"]["migrate"]["condition"]
    assert needs == "service_completed_successfully"


def test_the_application_is_not_the_owner_of_the_log(compose: dict[str, Any]) -> None:
    services = compose["services"]
    url = services["sabot"]["environment"]["SABOT_DATABASE_URL"]
    assert url.startswith("postgresql://sabot_app:")
    assert "--grant=sabot_app" in services["migrate"]["command"]
    made = compose["configs"]["application-user"]["content"]
    assert made.startswith("CREATE ROLE sabot_app LOGIN PASSWORD")
    owner = services["migrate"]["environment"]["SABOT_DATABASE_URL"]
    assert owner.startswith(f"postgresql://{services['postgres']['environment']['POSTGRES_USER']}:")


@pytest.mark.parametrize("service", ["migrate", "sabot"])
def test_it_runs_verbs_that_exist(compose: dict[str, Any], service: str) -> None:
    command: Any = typer.main.get_command(build())
    words = compose["services"][service]["command"]
    while words and not words[0].startswith("-"):
        command, words = command.commands[words[0]], words[1:]
    options = {name for option in command.params for name in option.opts}
    assert {word.split("=")[0] for word in words} <= options
