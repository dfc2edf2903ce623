"""``sabot packs``: a printed pack does not replace one that was edited."""

from tests.support.faulty_log import sabot


def test_an_edited_pack_is_not_replaced_without_force(tmp_path, capsys):
    pack = tmp_path / "mine.toml"
    assert sabot("packs", "uk", "-o", str(pack)) == 0
    assert capsys.readouterr().err == f"sabot: wrote {pack}\n"
    pack.write_text("# mine\n")
    assert sabot("packs", "uk", "-o", str(pack)) == 2
    assert "exists already; choose another name, or replace it with --force" in (
        capsys.readouterr().err
    )
    assert pack.read_text() == "# mine\n"
    assert sabot("packs", "uk", "-o", str(pack), "--force") == 0
    assert capsys.readouterr().err == f"sabot: replaced {pack}\n"


def test_no_result_replaces_a_file_without_force(tmp_path, capsys):
    file = tmp_path / "rules.json"
    assert sabot("rules", "T104", "-o", str(file)) == 0
    assert capsys.readouterr().err == f"sabot: wrote {file}\n"
    whole = file.read_text()
    assert sabot("rules", "-o", str(file)) == 2
    assert "exists already; choose another name" in capsys.readouterr().err
    assert file.read_text() == whole
    assert sabot("rules", "-o", str(file), "--force") == 0
    assert capsys.readouterr().err == f"sabot: replaced {file}\n"
