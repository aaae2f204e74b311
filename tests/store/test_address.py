"""A store's address is parsed once, and no secret gets through it."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.address import Lake, folder_of, parse_place
from store.errors import BadAddress


def test_what_does_not_begin_as_a_lake_is_a_folder() -> None:
    assert parse_place("probe-store") == Path("probe-store")
    assert parse_place("a b/ducklake") == Path("a b/ducklake")


def test_a_catalogue_in_postgres_is_reached_as_libpq_would() -> None:
    lake = parse_place(
        r"ducklake:postgres:dbname=probe host = db.example  options='-c a=\'b c\'' data=/shared/x"
    )

    assert isinstance(lake, Lake)
    assert lake.catalogue == r"dbname=probe host=db.example options='-c a=\'b c\''"
    assert (lake.kind, lake.schema, lake.data) == ("postgres", "probe_lake", "/shared/x")


def test_the_address_of_a_lake_names_it_again() -> None:
    """Without where its files are, which its catalogue knows."""
    for text in (
        "ducklake:postgres:dbname=probe host=h schema=mine data=s3://bucket/x",
        "ducklake:sqlite:/some where/lake.sqlite data=/else/where",
    ):
        lake = parse_place(text)
        again = parse_place(str(lake))

        assert isinstance(lake, Lake)
        assert isinstance(again, Lake)
        assert again.digest == lake.digest
        assert (lake.data, again.data) != ("", lake.data)


def test_the_folder_for_files_is_the_same_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lake = parse_place("ducklake:sqlite:lake.sqlite data=files")

    assert isinstance(lake, Lake)
    assert (lake.catalogue, lake.data) == (str(tmp_path / "lake.sqlite"), str(tmp_path / "files"))


@pytest.mark.parametrize(
    "text",
    [
        "ducklake:postgres:dbname=x password=hunter2",
        "ducklake:postgres:dbname=x PASSWORD='hunter2'",
        "ducklake:postgres:dbname=x sslpassword=hunter2",
        "ducklake:postgres:postgresql://me:hunter2@host/db",
        "postgresql://me:hunter2@host/db",
        "ducklake:postgres:hunter2",
        "ducklake:hunter2.ducklake",
        "ducklake:sqlite:",
    ],
)
def test_what_cannot_be_an_address_is_refused_without_its_secret(text: str) -> None:
    with pytest.raises(BadAddress) as refused:
        parse_place(text)

    said = str(refused.value)
    assert "hunter2" not in said.replace("hunter2.ducklake", "")
    assert "PGPASSWORD" in said or "ducklake:" in said


def test_what_needs_a_folder_says_so() -> None:
    with pytest.raises(BadAddress, match=r"--listen needs a store in a folder.*export --to"):
        folder_of(parse_place("ducklake:sqlite:/x"), "--listen")
    assert folder_of(Path("x"), "--listen") == Path("x")
