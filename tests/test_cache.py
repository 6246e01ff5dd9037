"""The cache helps and never decides: what is damaged, foreign, locked or full is a miss, with a note."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ratchet.cache import FORMAT, LIMIT, Cache, default_folder
from ratchet.source.entries import Entry, Signature
from ratchet.source.worktree import WorkTree
from tests.source.scratch import plant, powerless

SECOND = 1_000_000_000
NOW = 1_800_000_000 * SECOND + 7
OLD = NOW - 60 * SECOND
SIGNATURE: Signature = (10, OLD, OLD, 77, 0o100644)
BLOB = "ce013625030ba8dba906f756967f9e9ca394464a"
OTHER = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def file_of(folder: Path) -> Path:
    return folder / f"cache-{FORMAT}.sqlite3"


def fill(folder: Path) -> None:
    """Leave a cache with one row of each kind."""
    cache = Cache.open(folder)
    cache.remember_blobs("/tree", [(Entry("a.py", SIGNATURE), BLOB)], NOW)
    cache.put_facts({"blob:plan": '{"accesses": []}'})
    cache.put_result("tree:rules", '{"sites": [1]}')
    cache.close()
    assert cache.notes == []


def contents(cache: Cache) -> tuple[dict[str, str], dict[str, str], str | None]:
    known = cache.known_blobs("/tree", [Entry("a.py", SIGNATURE)])
    return known, cache.get_facts(["blob:plan", "nothing"]), cache.get_result("tree:rules")


FULL = ({"a.py": BLOB}, {"blob:plan": '{"accesses": []}'}, '{"sites": [1]}')
EMPTY: tuple[dict[str, str], dict[str, str], None] = ({}, {}, None)


def test_remembers(tmp_path: Path) -> None:
    fill(tmp_path / "deep/cache")
    cache = Cache.open(tmp_path / "deep/cache")
    assert contents(cache) == FULL
    cache.close()
    assert cache.notes == []
    assert sorted(path.name for path in (tmp_path / "deep/cache").iterdir()) == [
        ".gitignore",
        f"cache-{FORMAT}.sqlite3",
    ]


def test_without_a_folder_it_remembers_nothing() -> None:
    cache = Cache.open(None)
    cache.remember_blobs("/tree", [(Entry("a.py", SIGNATURE), BLOB)], NOW)
    cache.put_facts({"blob:plan": "{}"})
    cache.put_result("tree:rules", "{}")
    assert contents(cache) == EMPTY
    cache.close()
    assert cache.notes == []


def test_the_last_writer_wins(tmp_path: Path) -> None:
    fill(tmp_path)
    cache = Cache.open(tmp_path)
    cache.remember_blobs("/tree", [(Entry("a.py", SIGNATURE), OTHER)], NOW)
    cache.put_facts({"blob:plan": "1"})
    cache.put_result("tree:rules", "2")
    assert contents(cache) == ({"a.py": OTHER}, {"blob:plan": "1"}, "2")
    cache.close()


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(Entry("a.py", (11, *SIGNATURE[1:])), id="size"),
        pytest.param(Entry("a.py", (10, OLD + 1, *SIGNATURE[2:])), id="mtime"),
        pytest.param(Entry("a.py", (10, OLD, OLD + 1, *SIGNATURE[3:])), id="ctime"),
        pytest.param(Entry("a.py", (10, OLD, OLD, 78, 0o100644)), id="inode"),
        pytest.param(Entry("a.py", (10, OLD, OLD, 77, 0o100755)), id="mode"),
        pytest.param(Entry("b.py", SIGNATURE), id="path"),
        pytest.param(Entry("a.py", None), id="no-signature"),
    ],
)
def test_another_signature_is_a_miss(tmp_path: Path, entry: Entry) -> None:
    fill(tmp_path)
    cache = Cache.open(tmp_path)
    assert cache.known_blobs("/tree", [entry]) == {}
    assert cache.known_blobs("/tree2", [Entry("a.py", SIGNATURE)]) == {}
    cache.close()


@pytest.mark.parametrize(
    ("mtime", "ctime", "kept"),
    [
        pytest.param(OLD, OLD, True, id="old"),
        pytest.param(NOW, NOW, False, id="changed-when-it-was-listed"),
        pytest.param(NOW - 10_000_000, OLD, False, id="within-a-tick-of-the-clock"),
        pytest.param(OLD, NOW - 10_000_000, False, id="renamed-within-a-tick"),
        pytest.param(NOW + 60 * SECOND, OLD, False, id="in-the-future"),
        pytest.param(NOW - 7 - SECOND, OLD, False, id="whole-seconds-may-be-coarse"),
        pytest.param(NOW - 7 - 3 * SECOND, OLD, True, id="old-whole-seconds"),
        pytest.param(NOW - SECOND, OLD, True, id="fine-times"),
    ],
)
def test_racy_times_are_not_trusted(tmp_path: Path, mtime: int, ctime: int, kept: bool) -> None:
    entry = Entry("a.py", (10, mtime, ctime, 77, 0o100644))
    cache = Cache.open(tmp_path)
    cache.remember_blobs("/tree", [(entry, BLOB)], NOW)
    assert cache.known_blobs("/tree", [entry]) == ({"a.py": BLOB} if kept else {})
    cache.close()


def test_a_change_of_the_same_size_right_after_the_listing_is_seen(tmp_path: Path) -> None:
    file = plant(tmp_path / "tree", {"a.py": "x = 1\n"}) / "a.py"
    cache = Cache.open(tmp_path / "cache")
    tree = WorkTree.open(tmp_path / "tree")
    cache.remember_blobs(tree.root, [(tree.entries()[0], BLOB)], tree.listing.taken_ns)
    file.write_bytes(b"x = 2\n")
    assert cache.known_blobs(tree.root, WorkTree.open(tmp_path / "tree").entries()) == {}
    cache.close()


def test_many_files_in_one_question(tmp_path: Path) -> None:
    entries = [Entry(f"d{number % 50}/caf\udce9 {number}.py", SIGNATURE) for number in range(3022)]
    cache = Cache.open(tmp_path)
    cache.remember_blobs("/tree", [(entry, BLOB) for entry in entries], NOW)
    start = time.perf_counter()
    known = cache.known_blobs("/tree", entries)
    elapsed = time.perf_counter() - start
    assert known == {entry.path: BLOB for entry in entries}
    assert elapsed < 0.3  # ten times what it takes, for a machine that is busy
    assert cache.known_blobs("/tree", entries[7:9]) == {entry.path: BLOB for entry in entries[7:9]}
    keys = [f"key {number}" for number in range(1201)]
    cache.put_facts({key: key.upper() for key in keys})
    assert cache.get_facts([*keys, "other"]) == {key: key.upper() for key in keys}
    assert cache.get_facts([]) == {}
    cache.close()


def test_texts_may_hold_anything(tmp_path: Path) -> None:
    text = json.dumps({"path": "caf\udce9.py", "code": "数\0\n"}) + "数\0"
    cache = Cache.open(tmp_path)
    cache.put_facts({"k": text})
    assert cache.get_facts(["k"]) == {"k": text}
    cache.close()


Damage = Callable[[Path], None]


def run_sql(statement: str) -> Damage:
    def damage(file: Path) -> None:
        database = sqlite3.connect(file)
        database.execute(statement)
        database.commit()
        database.close()

    return damage


def overwrite(data: bytes) -> Damage:
    def damage(file: Path) -> None:
        file.write_bytes(data)

    return damage


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        pytest.param(run_sql("UPDATE facts SET text = x'7b7d'"), (FULL[0], {}, FULL[2]), id="other-facts"),
        pytest.param(run_sql("UPDATE facts SET text = '{}'"), (FULL[0], {}, FULL[2]), id="other-type"),
        pytest.param(run_sql("UPDATE facts SET text = NULL"), (FULL[0], {}, FULL[2]), id="null"),
        pytest.param(
            run_sql("UPDATE results SET text = substr(text, 1, 5)"), (FULL[0], FULL[1], None), id="cut-result"
        ),
        pytest.param(run_sql("UPDATE results SET sum = sum + 1"), (FULL[0], FULL[1], None), id="other-sum"),
        pytest.param(
            run_sql("UPDATE results SET sum = 'x'"), (FULL[0], FULL[1], None), id="sum-of-another-type"
        ),
        pytest.param(
            run_sql("UPDATE results SET key = CAST('k' AS BLOB)"), (FULL[0], FULL[1], None), id="other-key"
        ),
        pytest.param(
            run_sql("UPDATE signatures SET row = CAST(replace(row, 'ce01', 'ce02') AS BLOB)"),
            ({}, FULL[1], FULL[2]),
            id="other-blob",
        ),
        pytest.param(
            run_sql("UPDATE signatures SET row = 7"), ({}, FULL[1], FULL[2]), id="row-of-another-type"
        ),
        pytest.param(
            run_sql("UPDATE signatures SET root = CAST('/other' AS BLOB)"),
            ({}, FULL[1], FULL[2]),
            id="other-root",
        ),
    ],
)
def test_a_damaged_row_is_a_miss(
    tmp_path: Path, damage: Damage, found: tuple[dict[str, str], dict[str, str], str | None]
) -> None:
    fill(tmp_path)
    damage(file_of(tmp_path))
    cache = Cache.open(tmp_path)
    assert contents(cache) == found
    cache.close()
    assert cache.notes == []


def test_a_row_under_the_key_of_another_is_a_miss(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path)
    cache.put_facts({"one": "1", "two": "2"})
    cache.close()
    statement = "UPDATE facts SET text = x'31', sum = (SELECT sum FROM facts WHERE text = x'31')"
    run_sql(statement)(file_of(tmp_path))
    assert Cache.open(tmp_path).get_facts(["one", "two"]) == {"one": "1"}


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(overwrite(b"no database at all" * 100), id="text"),
        pytest.param(overwrite(b"SQLite format 3\0" + b"\xff" * 5000), id="header-only"),
        pytest.param(cut, id="cut"),
        pytest.param(run_sql("DROP TABLE facts"), id="missing-table"),
        pytest.param(run_sql("ALTER TABLE results RENAME COLUMN text TO body"), id="missing-column"),
    ],
)
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: Damage) -> None:
    fill(tmp_path)
    damage(file_of(tmp_path))
    cache = Cache.open(tmp_path)
    found = contents(cache)
    assert found[1:] in (({}, None), (FULL[1], None), ({}, FULL[2]))
    cache.put_facts({"more": "1"})
    cache.close()
    assert len(cache.notes) == 1
    assert cache.notes[0].startswith(f"the cache {file_of(tmp_path)} was damaged and starts anew: ")
    assert cache.notes[0].endswith("; the verdict is the same without it")
    fill(tmp_path)
    assert contents(Cache.open(tmp_path)) == FULL


def test_every_flipped_byte_is_a_miss_or_changes_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    whole = file_of(tmp_path).read_bytes()
    for position in range(0, len(whole), 61):
        changed = bytearray(whole)
        changed[position] ^= 0x55
        file_of(tmp_path).write_bytes(changed)
        cache = Cache.open(tmp_path)
        known, facts, result = contents(cache)
        cache.close()
        assert known in (FULL[0], {})
        assert facts in (FULL[1], {})
        assert result in (FULL[2], None)


def test_an_empty_file_is_a_new_cache(tmp_path: Path) -> None:
    file_of(tmp_path).write_bytes(b"")
    fill(tmp_path)
    assert contents(Cache.open(tmp_path)) == FULL


def test_another_version_has_a_file_of_its_own(tmp_path: Path) -> None:
    newer = tmp_path / f"cache-{FORMAT + 1}.sqlite3"
    newer.write_bytes(b"whatever a newer version keeps")
    fill(tmp_path)
    assert newer.read_bytes() == b"whatever a newer version keeps"
    assert contents(Cache.open(tmp_path)) == FULL


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = Cache.open(tmp_path / "file/cache")
    cache.put_facts({"k": "1"})
    assert contents(cache) == EMPTY
    cache.close()
    told = "cannot be used: not a directory; the verdict is the same without it"
    assert cache.notes == [f"the cache {file_of(tmp_path / 'file/cache')} {told}"]


def test_a_folder_that_can_only_be_read() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        fill(folder / "used")
        (folder / "new").mkdir()
        for path in (folder / "used", folder / "new"):
            path.chmod(0o555)
        file_of(folder / "used").chmod(0o444)
        with powerless():
            used, new = Cache.open(folder / "used"), Cache.open(folder / "new")
            for cache in (used, new):
                cache.put_facts({"k": "1"})
                cache.put_facts({"l": "2"})
            found = contents(used), contents(new)
            used.close()
            new.close()
    assert found == (FULL, EMPTY)
    assert [len(cache.notes) for cache in (used, new)] == [1, 1]
    assert "is used no further: attempt to write a readonly database" in used.notes[0]
    assert "is used no further: unable to open database file" in new.notes[0]


def test_a_full_disk(tmp_path: Path) -> None:
    fill(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    cache = Cache.open(tmp_path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_of(tmp_path).stat().st_size, limits[1]))
    try:
        cache.put_facts({str(number): "x" * 5000 for number in range(50)})
        cache.put_facts({"small": "1"})
        found = contents(cache)
        cache.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert found == FULL
    assert len(cache.notes) == 1
    assert "is used no further: " in cache.notes[0]
    assert contents(Cache.open(tmp_path)) == FULL


def test_a_lock_that_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ratchet.cache._WAIT_SECONDS", 0.05)
    fill(tmp_path)
    other = sqlite3.connect(file_of(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache = Cache.open(tmp_path)
    cache.put_facts({"k": "1"})
    assert contents(cache) == FULL
    other.execute("COMMIT")
    other.execute("BEGIN EXCLUSIVE")
    assert contents(cache) == EMPTY
    cache.close()
    other.close()
    told = "is used no further: database is locked; the verdict is the same without it"
    assert cache.notes == [f"the cache {file_of(tmp_path)} {told}"]


def write_many(folder: Path, name: str) -> None:
    for turn in range(20):
        cache = Cache.open(folder)
        cache.put_facts({f"{name} {turn} {number}": name * 100 for number in range(20)})
        cache.remember_blobs("/tree", [(Entry(f"{name}{turn}.py", SIGNATURE), BLOB)], NOW)
        cache.close()
        if cache.notes:
            raise SystemExit(1)


def test_two_processes_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=write_many, args=(tmp_path, name)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    cache = Cache.open(tmp_path)
    keys = [f"{name} {turn} {number}" for name in "ab" for turn in range(20) for number in range(20)]
    assert len(cache.get_facts(keys)) == 800
    entries = [Entry(f"{name}{turn}.py", SIGNATURE) for name in "ab" for turn in range(20)]
    assert len(cache.known_blobs("/tree", entries)) == 40
    cache.close()


def test_a_deleted_cache_is_an_empty_one(tmp_path: Path) -> None:
    fill(tmp_path)
    cache = Cache.open(tmp_path)
    file_of(tmp_path).unlink()
    cache.put_facts({"k": "1"})
    cache.close()
    assert contents(Cache.open(tmp_path)) == EMPTY


def age(file: Path, table: str, days: int) -> None:
    run_sql(f"UPDATE {table} SET day = day - {days}")(file)


def test_what_was_used_last_stays(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path)
    cache.put_facts({f"old {number}": "x" * 100 for number in range(20)})
    cache.close()
    age(file_of(tmp_path), "facts", 5)
    cache = Cache.open(tmp_path, limit=1000)
    assert len(cache.get_facts(["old 3", "old 4"])) == 2
    cache.put_facts({f"new {number}": "y" * 100 for number in range(7)})
    cache.close()
    cache = Cache.open(tmp_path)
    every = [f"old {number}" for number in range(20)] + [f"new {number}" for number in range(7)]
    kept = cache.get_facts(every)
    assert {"old 3", "old 4", *(f"new {number}" for number in range(7))} <= set(kept)
    assert len(kept) <= 10
    assert cache.notes == []
    cache.close()


def test_nothing_is_thrown_out_below_the_limit(tmp_path: Path) -> None:
    fill(tmp_path)
    for table in ("facts", "results"):
        age(file_of(tmp_path), table, 400)
    cache = Cache.open(tmp_path)
    cache.put_facts({"k": "1"})
    cache.close()
    assert contents(Cache.open(tmp_path)) == FULL
    assert LIMIT > 100 << 20


def test_signatures_of_long_ago_are_forgotten(tmp_path: Path) -> None:
    fill(tmp_path)
    age(file_of(tmp_path), "signatures", 31)
    cache = Cache.open(tmp_path)
    cache.put_facts({"k": "1"})
    cache.close()
    assert contents(Cache.open(tmp_path)) == ({}, FULL[1], FULL[2])


def test_a_run_that_finds_all_writes_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    before = file_of(tmp_path).read_bytes()
    cache = Cache.open(tmp_path)
    assert contents(cache) == FULL
    cache.close()
    assert file_of(tmp_path).read_bytes() == before


@pytest.mark.parametrize(
    ("variable", "folder"),
    [
        pytest.param("/somewhere", "/somewhere/ratchet", id="set"),
        pytest.param("", "/home/me/.cache/ratchet", id="empty"),
        pytest.param("relative", "/home/me/.cache/ratchet", id="relative-is-ignored"),
        pytest.param(None, "/home/me/.cache/ratchet", id="unset"),
    ],
)
def test_default_folder(monkeypatch: pytest.MonkeyPatch, variable: str | None, folder: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if variable is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", variable)
    assert default_folder() == Path(folder)
