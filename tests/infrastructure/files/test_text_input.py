"""Files named by a user: regular ones only, limited in size, in UTF-8."""

import gzip
import os
import socket

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.values.errors import BadInput, BadRulePack, NotFound, UntrustedLog
from sabot.infrastructure.evidence.tiles import TileFolder
from sabot.infrastructure.files import text_input
from sabot.infrastructure.files.text_input import open_file, read_text
from sabot.infrastructure.imports.mapping import MAX_MAPPING_BYTES, load_mapping
from sabot.infrastructure.rule_packs import MAX_PACK_BYTES, pack_text


def pipe(folder):
    os.mkfifo(folder / "pipe.toml")
    return str(folder / "pipe.toml")


def link(folder):
    """A link to a pipe, which leads there as well as its own name."""
    os.mkfifo(folder / "behind")
    (folder / "link.toml").symlink_to(folder / "behind")
    return str(folder / "link.toml")


def folder(folder):
    (folder / "folder.toml").mkdir()
    return str(folder / "folder.toml")


def device(folder):
    (folder / "zero.toml").symlink_to("/dev/zero")
    return str(folder / "zero.toml")


def listening(folder):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "s.toml"))
    return str(folder / "s.toml")


KINDS = [
    (pipe, "it is a named pipe"),
    (link, "it is a named pipe"),
    (folder, "it is a folder"),
    (device, "it is a device"),
    (listening, "it is a socket"),
]


LISTEN = ("record", "--database", "new.sabot", "--listen", "127.0.0.1:0")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(("made", "told"), KINDS)
def test_nothing_but_a_regular_file_is_opened(made, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = os.path.relpath(made(tmp_path))
    with pytest.raises(BadInput, match=f"{name}: {told}"):
        open_file(name)
    with pytest.raises(BadRulePack, match=f"{name}: {told}"):
        pack_text(name)
    (tmp_path / "a.jsonl").write_text("")
    verbs = (
        ["import", name, "--database", "new.sabot"],
        ["import", "a.jsonl", "--mapping", name, "--database", "new.sabot"],
        ["import", "a.jsonl", "--rules", name, "--database", "new.sabot"],
        ["packs", name],
        ["odds", "--rules", name],
        ["simulate", "--rules", name, "--database", "new.sabot"],
        ["deal", "--rules", name, "--database", "new.sabot"],
        ["audit", "--database", name],
        ["record", "--database", name],
        ["import", "a.jsonl", "--database", name],
        ["store", "restore", name, "--database", "new.sabot"],
        [*LISTEN, "--tls-cert", name, "--tls-key", name],
        [*LISTEN, "--token-file", name],
    )
    for verb in verbs:
        assert guard(build(), verb) == 2, verb
        out, err = capsys.readouterr()
        assert (out, told in err) == ("", True), (verb, err)
    assert not (tmp_path / "new.sabot").exists()


def test_text_has_a_bound_and_a_mark_before_it_is_dropped(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf" + b"x" * 10)
    assert read_text(str(path), 10) == "x" * 10
    path.write_bytes(b"\xef\xbb\xbf" + b"x" * 11)
    with pytest.raises(BadInput, match="it has more than 10 bytes"):
        read_text(str(path), 10)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"a\nb\xe9", "a.txt:2: byte 0xe9 is not UTF-8; save it as UTF-8"),
        ("a".encode("utf-16"), "a.txt:1: the text is UTF-16; save it as UTF-8"),
    ],
)
def test_text_in_another_encoding(data, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(BadInput) as caught:
        read_text("a.txt", 100)
    assert str(caught.value) == told


def test_a_file_that_is_not_there():
    with pytest.raises(NotFound, match=r"there is no file 'none\.toml'; check the path"):
        read_text("none.toml", 100)


def test_packs_and_mappings_with_a_byte_order_mark(tmp_path):
    pack, mapping = tmp_path / "pack.toml", tmp_path / "mapping.toml"
    pack.write_bytes(b"\xef\xbb\xbf" + pack_text("uk").encode())
    assert pack_text(str(pack)) == pack_text("uk")
    mapping.write_bytes(
        b"\xef\xbb\xbf" + b'format = "jsonl"\n[coup]\nshoe="s"\ncoup="c"\nplayer="p"\nbanker="b"'
    )
    assert load_mapping(str(mapping)).format == "jsonl"


def test_packs_and_mappings_have_a_bound(tmp_path):
    path = tmp_path / "long.toml"
    path.write_text("#" * (max(MAX_PACK_BYTES, MAX_MAPPING_BYTES) + 1))
    with pytest.raises(BadRulePack, match=f"more than {MAX_PACK_BYTES} bytes"):
        pack_text(str(path))
    with pytest.raises(BadInput, match=f"more than {MAX_MAPPING_BYTES} bytes"):
        load_mapping(str(path))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PK\x03\x04 a spreadsheet", "it is a compressed file, as .xlsx or .gz"),
        (gzip.compress(b"shoe,player,banker", mtime=0), "it is a compressed file, as .xlsx or .gz"),
        (b"SQLite format 3\0\0\1\0\0", "it is a database, not text"),
        (b"shoe\0", "it is not text: it has NUL characters"),
    ],
)
@pytest.mark.parametrize("verb", [["import"], ["import", "--draft"], ["import", "-m", "gryai"]])
def test_a_file_that_is_no_text(data, told, verb, tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    database = [] if "--draft" in verb else ["--database", str(tmp_path / "new.sabot")]
    assert guard(build(), [*verb, str(path), *database]) == 2
    assert f"{path}: {told}" in capsys.readouterr().err
    assert not (tmp_path / "new.sabot").exists()


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "a.jsonl/b"])
def test_a_name_that_is_no_path(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("")
    verbs = (
        ["import", name],
        ["import", "--draft", name],
        ["import", "a.jsonl", "--mapping", name],
        ["import", "a.jsonl", "--database", name],
        ["audit", "--database", name],
        ["odds", "--rules", f"{name}.toml"],
    )
    for verb in verbs:
        assert guard(build(), verb) == 2, verb
        assert capsys.readouterr().err.startswith("sabot: "), verb
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".db"] == ["a.jsonl"]


def test_a_published_tile_is_read_up_to_its_bound(tmp_path):
    place = tmp_path / "tile/0/000.p/1"
    place.parent.mkdir(parents=True)
    place.touch()
    os.truncate(place, 100 << 30)
    with pytest.raises(UntrustedLog, match="has 8193 bytes, not 32"):
        TileFolder(tmp_path, 1).tile(0, 0)


def test_a_device_that_the_kernel_calls_a_regular_file_is_refused(monkeypatch):
    """As /proc/kmsg: its mode is that of a regular file, and a read returns nothing yet."""
    end, other = os.pipe()
    os.set_blocking(end, False)
    monkeypatch.setattr(text_input, "open_file", lambda name: os.fdopen(end, "rb"))
    with pytest.raises(BadInput, match="nothing to read, as a device"):
        read_text("kmsg", 100)
    os.close(other)
