from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.batch import Batch
from assay.core.errors import OutputError
from assay.engine.store import Store


def test_put_and_get(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "store")
    assert store.get_many([b"k" * 16]) == {}
    items = [(i.to_bytes(16, "big"), os.urandom(i % 50)) for i in range(3000)]
    assert store.put_many(items)
    assert store.get_many([key for key, _ in items] * 2 + [b"absent"]) == dict(items)
    assert store.put_many([(items[0][0], b"new")])
    store.close()
    again = Store(tmp_path / "deep" / "store")
    assert again.get_many([items[0][0], items[7][0]]) == {items[0][0]: b"new", items[7][0]: items[7][1]}
    assert again.info().entries == 3000
    assert again.info().bytes > sum(len(value) for _, value in items)
    assert store.notices == again.notices == []


def test_info_of_nothing_makes_nothing(tmp_path: Path) -> None:
    assert Store(tmp_path / "none").info().entries == 0
    assert not (tmp_path / "none").exists()


def test_clear(tmp_path: Path) -> None:
    store, other = Store(tmp_path), Store(tmp_path)
    store.put_many([(b"a", b"1")])
    assert other.get_many([b"a"]) == {b"a": b"1"}
    store.clear()
    assert store.get_many([b"a"]) == other.get_many([b"a"]) == {}
    assert other.put_many([(b"b", b"2")])
    assert store.get_many([b"b"]) == {b"b": b"2"}
    assert store.info().entries == 1


def test_clear_speaks(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be cleared"):
        Store(tmp_path / "file").clear()


TEXTS = st.text(st.characters(), max_size=3)
REQUEST = st.tuples(
    TEXTS, TEXTS, st.none() | TEXTS, st.lists(st.none() | TEXTS, max_size=3).map(tuple), st.none() | TEXTS
)


@given(REQUEST, REQUEST)
def test_keys_differ_exactly_when_requests_do(a: tuple, b: tuple) -> None:  # type: ignore[type-arg]
    assert (Store.key(*a) == Store.key(*b)) == (a == b)
    assert len(Store.key(*a)) == 16


def test_nothing_runs_together() -> None:
    keys = {
        Store.key("s", "ab", "c"),
        Store.key("s", "a", "bc"),
        Store.key("s", "abc"),
        Store.key("s", "abc", ""),
        Store.key("s", "ab", None, ("c",)),
        Store.key("s", "ab", None, (), "c"),
        Store.key("s", "abc", None, (None,)),
        Store.key("s", "abc", None, ("",)),
        Store.key("sa", "bc"),
        Store.key("s", "\ud800"),
        Store.key("s", "é"),
        Store.key("s", "e\u0301"),
    }
    assert len(keys) == 12


def test_keys_of_a_batch() -> None:
    batch = Batch(
        ["h1", "h2"], sources=["s1", "s2"], references=(["r1", None], ["q1", "q2"]), langpairs=["en-de", "en-fr"]
    )
    assert Store.keys("sig", batch) == [
        Store.key("sig", "h1", "s1", ("r1", "q1"), "en-de"),
        Store.key("sig", "h2", "s2", (None, "q2"), "en-fr"),
    ]
    assert Store.keys("sig", Batch(["h"])) == [Store.key("sig", "h")]


def test_many_threads(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def work(who: int) -> None:
        for i in range(20):
            key = f"{who}-{i}".encode()
            assert store.put_many([(key, key * 3)])
            assert store.get_many([key]) == {key: key * 3}

    threads = [threading.Thread(target=work, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.info().entries == 160


def test_a_fork_gets_its_own_connection(tmp_path: Path) -> None:
    code = (
        "import os, sys; from assay.engine.store import Store\n"
        "store = Store(sys.argv[1]); store.put_many([(b'parent', b'1')])\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    ok = store.put_many([(b'child', b'2')]) and len(store.get_many([b'parent', b'child'])) == 2\n"
        "    sys.exit(0 if ok else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert store.put_many([(b'later', b'3')]) and store.info().entries == 3\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert Store(tmp_path).info().entries == 3


def test_sqlite_is_imported_only_when_needed() -> None:
    code = "import sys, assay.engine.store as s; s.Store('x').key('a', 'b'); assert 'sqlite3' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
