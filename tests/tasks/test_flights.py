from __future__ import annotations

import time

import pytest

from assay.tasks import flights


def test_the_query_of_a_frame() -> None:
    frame = {"intent": "count", "origin": "LON", "day": "Monday", "period": "morning", "price": "200"}
    assert flights.frame_to_sql(frame) == (
        "SELECT COUNT(*) FROM flight WHERE origin = 'LON'"
        " AND number IN (SELECT number FROM operates WHERE day = 'Monday')"
        " AND departure BETWEEN '05:00' AND '11:59'"
        " AND number IN (SELECT number FROM fare WHERE class = 'economy' AND euros < 200)"
    )


def test_quotes_cannot_leave_their_value() -> None:
    query = flights.frame_to_sql({"intent": "flights", "number": "' OR 1 --"})
    assert flights.execute(query) == frozenset()


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE flight",
        "DELETE FROM flight",
        "UPDATE flight SET origin = 'LON'",
        "INSERT INTO fare VALUES ('x', 'economy', 1)",
        "PRAGMA writable_schema = 1",
        "ATTACH DATABASE 'x.db' AS x",
        "SELECT * FROM nowhere",
        "SELEKT",
        "SELECT 1; SELECT 2",
        "",
        "SELECT * FROM flight a, flight b, flight c",  # five hundred million rows
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n",  # never ends
    ],
)
def test_a_bad_query_is_a_failure_and_does_no_harm(query) -> None:
    before = flights.execute("SELECT COUNT(*) FROM flight")
    assert not flights.execute(query)
    assert flights.execute("SELECT COUNT(*) FROM flight") == before


def test_the_timetable_is_sound() -> None:
    count = flights.execute("SELECT COUNT(*), COUNT(DISTINCT number), COUNT(DISTINCT origin) FROM flight")
    assert count is not None
    ((rows, numbers, origins),) = count
    assert rows == numbers and rows > 500 and origins == len(flights.CITIES) == 12
    assert flights.execute("SELECT number FROM flight WHERE origin = destination OR minutes < 60") == frozenset()
    assert flights.execute("SELECT number FROM flight WHERE number NOT IN (SELECT number FROM operates)") == frozenset()
    economy, business = "SELECT euros FROM fare e WHERE e.class = 'economy'", "fare b WHERE b.class = 'business'"
    cheaper = f"SELECT b.number FROM {business} AND b.euros <= ({economy} AND e.number = b.number)"
    assert flights.execute(cheaper) == frozenset()


COPIES = ", ".join(f"a{i + 1} AS (SELECT x FROM a{i} UNION ALL SELECT x FROM a{i})" for i in range(40))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT hex(zeroblob(4e8))",
        "SELECT length(hex(randomblob(400000000)))",
        "SELECT printf('%.*c', 900000000, 'x')",
        "SELECT group_concat(number) FROM flight a, fare b",
        "SELECT length(" + "replace(" * 9 + "'a'" + ", 'a', 'aaaaaaaaaa')" * 9 + ")",  # a thousand million characters
        f"WITH a0 AS (SELECT 1 x), {COPIES} SELECT COUNT(*) FROM a40",  # a million million copies, before any limit is looked at
        f"/* ' */ WITH a0 AS (SELECT 1 x), {COPIES} SELECT COUNT(*) FROM a40 /* ' */",
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT 1" + " UNION SELECT 1" * 5000,
        "SELECT load_extension('x')",
    ],
)
def test_no_single_step_outgrows_the_clock(query: str) -> None:
    """The first ran for half a minute under a limit of two seconds, which is looked at between steps alone."""
    began = time.process_time()
    assert flights.execute(query) is None
    assert time.process_time() - began < 2 * flights._SECONDS


def test_everyday_functions_and_words_are_allowed() -> None:
    where = "LOWER(airline) LIKE '%a%' AND substr(departure, 1, 2) > '10'"
    query = f"SELECT MAX(euros), 'with' FROM fare JOIN flight USING (number) WHERE {where} -- with"
    found = flights.execute(query)
    assert found is not None and len(found) == 1
