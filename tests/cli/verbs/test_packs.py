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


def test_other_results_replace_a_file_and_say_so(tmp_path, capsys):
    file = tmp_path / "rules.json"
    for said in ("wrote", "replaced"):
        assert sabot("rules", "-o", str(file)) == 0
        assert capsys.readouterr().err == f"sabot: {said} {file}\n"
