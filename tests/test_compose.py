"""docker-compose.yml matches the Compose specification and the program."""

import json
import os
import re
import socket
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import psycopg
import pytest
import typer
import yaml
from sqlalchemy.engine import make_url

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.conftest import OwnPostgres
from tests.support.thorough import slow

ROOT = Path(__file__).parent.parent
DEPLOYMENT = ROOT / "infrastructure" / "deployment"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def specification() -> dict[str, Any]:
    vendored = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    return json.loads(vendored.read_text())


@slow
def test_it_is_a_compose_file(compose: dict[str, Any], specification: dict[str, Any]) -> None:
    jsonschema.validate(compose, specification)


@slow
def test_the_specification_would_refuse_a_slip(
    compose: dict[str, Any], specification: dict[str, Any]
) -> None:
    slip = json.loads(json.dumps(compose))
    slip["services"]["postgres"]["healthcheck"]["retires"] = 3
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(slip, specification)


def test_nothing_starts_before_what_it_needs(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    for name in ("recorder", "projector"):
        needs = services[name]["depends_on"]["migrate"]["condition"]
        assert needs == "service_completed_successfully"
    lasting = {name for name, service in services.items() if "restart" in service}
    assert lasting == {name for name, service in services.items() if "healthcheck" in service}
    assert lasting == {"postgres", "recorder", "projector"}


def test_every_service_has_one_image_and_its_own_login(compose: dict[str, Any]) -> None:
    services = compose["services"]
    ours = {name: service for name, service in services.items() if name != "postgres"}
    assert {service["image"] for service in ours.values()} == {"sabot:0.1.0"}
    for name, service in ours.items():
        _, _, rest = service["environment"]["SABOT_DATABASE_URL"].partition("://")
        login = rest.partition("@")[0]
        assert service["environment"]["PGPASSWORD_FILE"] == (
            f"/run/secrets/{login.removeprefix('sabot_')}_password"
        )
        owns = login == "sabot_owner"
        assert owns == (name == "migrate")


def test_no_secret_stands_in_the_file(compose: dict[str, Any]) -> None:
    """Each secret is a file, given to the services that use it and to no other."""
    for name, service in compose["services"].items():
        text = json.dumps(service)
        given = set(service.get("secrets", ()))
        assert given <= compose["secrets"].keys()
        used = {secret for secret in compose["secrets"] if f"/run/secrets/{secret}" in text}
        assert used == given if name != "postgres" else used <= given
    logins = (DEPLOYMENT / "create-logins.sh").read_text()
    in_script = {secret for secret in compose["secrets"] if f'/{secret}")' in logins}
    assert in_script | {"postgres_password"} == set(compose["services"]["postgres"]["secrets"])
    assert {value["file"] for value in compose["secrets"].values()} == {
        f"./secrets/{secret}" for secret in compose["secrets"]
    }
    assert "secrets/" in (ROOT / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("service", ["migrate", "recorder", "projector", "audit"])
def test_it_runs_verbs_that_exist(compose: dict[str, Any], service: str) -> None:
    check_command(compose["services"][service]["command"])


@pytest.mark.parametrize("unit", ["record", "project", "backup"])
def test_a_unit_runs_verbs_that_exist(unit: str) -> None:
    text = (DEPLOYMENT / f"sabot-{unit}.service").read_text()
    (command,) = re.findall(r"^ExecStart=.*?/bin/sabot ([^\n']*)", text, re.MULTILINE)
    check_command(command.split())


@pytest.mark.parametrize("unit", ["record", "project", "backup"])
def test_a_unit_logs_in_with_a_file_of_mode_0440(unit: str, tmp_path: Path) -> None:
    """systemd 254 gives credentials this mode, for which libpq ignores a file of passwords."""
    text = (DEPLOYMENT / f"sabot-{unit}.service").read_text()
    (name,) = re.findall(r"^Environment=PGPASSWORD_FILE=%d/(\S+)$", text, re.MULTILINE)
    (source,) = re.findall(rf"^LoadCredential={name}:/etc/sabot/(\S+)$", text, re.MULTILINE)
    (login,) = re.findall(r"^Environment=SABOT_DATABASE_URL=\w+://(\w+)@", text, re.MULTILINE)
    (program,) = re.findall(r"^ExecStart=(\S+) ", text, re.MULTILINE)
    assert "PGPASSFILE" not in text
    assert source == f"{login}_password"
    assert f"{program.rpartition('/')[2]} {program.rpartition('/')[0]}/" in (
        (ROOT / "docs" / "running.md").read_text()
    )
    (tmp_path / name).write_text("its password\n")
    (tmp_path / name).chmod(0o440)
    done = subprocess.run(
        [str(DEPLOYMENT / program.rpartition("/")[2]), "printenv", "PGPASSWORD"],
        env=os.environ | {"PGPASSWORD_FILE": str(tmp_path / name)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "its password\n"


@slow
def test_the_recorder_is_unhealthy_while_the_port_or_the_database_is_closed(
    own_postgres: OwnPostgres, compose: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "password").write_text("of nobody")
    own = Path(sys.executable).parent
    given = {
        "PATH": f"{DEPLOYMENT}:{own}:{os.environ['PATH']}",
        "SABOT_DATABASE_URL": own_postgres.url,
        "PGPASSWORD_FILE": str(tmp_path / "password"),
    }
    assert guard(build(), ["store", "migrate", "--database", own_postgres.url]) == 0
    kind, *command = compose["services"]["recorder"]["healthcheck"]["test"]
    assert kind == "CMD"

    def healthy(port: int) -> bool:
        words = [word.replace("7416", str(port)) for word in command]
        done = subprocess.run(words, env=os.environ | given, capture_output=True, check=False)
        return done.returncode == 0

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert healthy(port)
        own_postgres.stop()
        assert not healthy(port)
        own_postgres.start()
        assert healthy(port)
    assert not healthy(port)


def check_command(words: list[str]) -> None:
    command: Any = typer.main.get_command(build())
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    options = {name for option in command.params for name in option.opts}
    assert {word.split("=")[0] for word in words if word.startswith("--")} <= options


def test_the_image_is_built_from_what_it_needs() -> None:
    """Whatever the Dockerfile copies stands in the context, and nothing else does."""
    dockerfile = (DEPLOYMENT / "Dockerfile").read_text()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    sent = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert sent == {
        "__init__.py", "LICENSE", "README.md", "cli", "domain", "infrastructure", "py.typed",
        "pyproject.toml",
    }  # fmt: skip
    for name in ("requirements.lock", "with-password"):
        assert f"infrastructure/deployment/{name}" in dockerfile
        assert (DEPLOYMENT / name).is_file()


@slow
def test_the_logins_do_their_work_and_the_owner_is_no_superuser(
    own_postgres: OwnPostgres, compose: dict[str, Any], tmp_path: Path
) -> None:
    """The script and the commands of the services, on a server without the containers."""
    for secret in compose["secrets"]:
        (tmp_path / secret).write_text(f'the {secret}\'s \\ "secret"')
    host = str(make_url(own_postgres.url).query["host"])
    given = {"SECRETS": str(tmp_path), "PGHOST": host, "PGUSER": "postgres"}
    path = f"{own_postgres.programs}:{os.environ['PATH']}"
    script = str(DEPLOYMENT / "create-logins.sh")
    subprocess.run([script], env=os.environ | given | {"PATH": path}, check=True)
    line = {"stream": "table/T1", "fact": {"type": "table-closed", "inventory": 5}}
    (tmp_path / "line").write_text(json.dumps(line))

    def run(service: str, *words: str, stdin: Path | None = None) -> str:
        url = compose["services"][service]["environment"]["SABOT_DATABASE_URL"]
        sabot = str(Path(sys.executable).with_name("sabot"))
        password = {"PGPASSWORD_FILE": str(tmp_path / "owner_password")}
        with (stdin or Path(os.devnull)).open() as given_in:
            done = subprocess.run(
                [
                    str(DEPLOYMENT / "with-password"),
                    sabot,
                    *words,
                    "--database",
                    f"{url.replace('@postgres', '@')}?host={host}",
                ],
                env=os.environ | password,
                stdin=given_in,
                capture_output=True,
                text=True,
                check=False,
            )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    command = compose["services"]["migrate"]["command"]
    assert "sabot_recorder: recorder" in run("migrate", *command)
    assert '"index":1' in run("recorder", "record", stdin=tmp_path / "line")
    run("projector", "project")
    run("projector", "store", "info")
    assert "no findings" in run("audit", "audit")
    assert "1 event" in run("backup", "store", "backup", str(tmp_path / "b"))
    assert "matches that of a new log" in run("migrate", "store", "check")
    assert guard(build(), ["verify", "--database", str(tmp_path / "b")]) == 0
    with psycopg.connect(own_postgres.url) as connection:
        found = connection.execute("SELECT rolname FROM pg_roles WHERE rolsuper").fetchall()
    assert found == [("postgres",)]
