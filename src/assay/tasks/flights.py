"""Flight database for the parsing task, with safe execution of generated SQL queries.

A frame represents a question that has a single SQL query: the kind of answer (``intent``) and the conditions (slots) that a
flight must meet.
"""

from __future__ import annotations

import functools
import re
import sqlite3
import threading
import time
from collections.abc import Mapping

from assay.data import rows

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CITIES = {row["city"]: row["code"] for row in rows("tasks/cities.csv")}
PERIODS = {"morning": ("05:00", "11:59"), "afternoon": ("12:00", "17:59"), "evening": ("18:00", "23:59")}

_SCHEMA = """
CREATE TABLE flight (number TEXT PRIMARY KEY, airline TEXT, origin TEXT, destination TEXT, departure TEXT, arrival TEXT,
                     minutes INTEGER, stops INTEGER, aircraft TEXT);
CREATE TABLE operates (number TEXT, day TEXT);
CREATE TABLE fare (number TEXT, class TEXT, euros INTEGER);
CREATE INDEX operates_number ON operates (number);
CREATE INDEX fare_number ON fare (number);
"""

_SELECTED = {
    "flights": "SELECT number FROM flight{where}",
    "cheapest": "SELECT number FROM flight JOIN fare USING (number){where} AND class = '{class}'"
    " AND euros = (SELECT MIN(euros) FROM flight JOIN fare USING (number){where} AND class = '{class}')",
    "fare": "SELECT number, class, euros FROM flight JOIN fare USING (number){where}{class_condition}",
    "earliest": "SELECT number FROM flight{where} AND departure = (SELECT MIN(departure) FROM flight{where})",
    "latest": "SELECT number FROM flight{where} AND departure = (SELECT MAX(departure) FROM flight{where})",
    "count": "SELECT COUNT(*) FROM flight{where}",
    "airlines": "SELECT DISTINCT airline FROM flight{where}",
    "shortest": "SELECT number FROM flight{where} AND minutes = (SELECT MIN(minutes) FROM flight{where})",
    "departures": "SELECT departure FROM flight{where}",
    "arrivals": "SELECT arrival FROM flight{where}",
    "aircraft": "SELECT DISTINCT aircraft FROM flight{where}",
    "days": "SELECT DISTINCT day FROM flight JOIN operates USING (number){where}",
    "destinations": "SELECT DISTINCT destination FROM flight{where}",
}

_SECONDS = 2.0
_STEPS = 10_000
_ROWS = 1_000
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
_FUNCTIONS = frozenset({
    "abs", "avg", "coalesce", "count", "date", "datetime", "glob", "group_concat", "ifnull", "iif", "instr", "julianday",
    "length", "like", "lower", "ltrim", "max", "min", "nullif", "replace", "round", "rtrim", "strftime", "substr",
    "substring", "sum", "time", "total", "trim", "upper",
})  # fmt: skip
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 50,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
}
"""Limits on the size of texts, patterns and the query itself: a single step must be short, since the time limit is checked
between steps.
"""
_COPIES = re.compile(r"\bwith\b", re.IGNORECASE)
_LITERAL = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL)
"""A string, a quoted name or a comment, in which WITH is not a keyword."""


def frame_to_sql(frame: Mapping[str, str]) -> str:
    """Return the SQL query for a frame. Slots: origin, destination, airline, number, day, period, after, before, stops, price,
    class.
    """
    conditions = []
    for slot in ("origin", "destination", "airline", "number"):
        if value := frame.get(slot):
            conditions.append(f"{slot} = {_quoted(value)}")
    if day := frame.get("day"):
        conditions.append(f"number IN (SELECT number FROM operates WHERE day = {_quoted(day)})")
    if period := frame.get("period"):
        start, end = PERIODS.get(period, ("", ""))
        conditions.append(f"departure BETWEEN '{start}' AND '{end}'")
    if after := frame.get("after"):
        conditions.append(f"departure >= {_quoted(after)}")
    if before := frame.get("before"):
        conditions.append(f"departure <= {_quoted(before)}")
    if frame.get("stops"):
        conditions.append("stops = 0")
    fare_class = frame.get("class", "")
    if price := frame.get("price"):
        inside = f"class = '{fare_class or 'economy'}' AND euros < {int(price)}"
        conditions.append(f"number IN (SELECT number FROM fare WHERE {inside})")
    fills = {"where": " WHERE " + " AND ".join(conditions or ["1"]), "class": fare_class or "economy"}
    fills["class_condition"] = f" AND class = {_quoted(fare_class)}" if fare_class else ""
    text = _SELECTED[frame["intent"]]
    for name, value in fills.items():
        text = text.replace("{" + name + "}", value)
    return text


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def execute(query: str) -> frozenset[tuple[object, ...]] | None:
    """Return the rows of a query as a set, or None if it fails, writes, runs too long or returns too much.

    WITH is not allowed: SQLite expands such a clause at every use, including nested uses, before it checks any limit.
    """
    if _COPIES.search(_LITERAL.sub("", query)):
        return None
    with _LOCK:
        database = _database()
        ends = time.monotonic() + _SECONDS
        database.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
        try:
            rows = database.execute(query).fetchmany(_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning):
            return None
    return frozenset(rows) if len(rows) <= _ROWS else None


_LOCK = threading.Lock()


@functools.cache
def _database() -> sqlite3.Connection:
    """Build the database in memory on first use, then make it read-only."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(_SCHEMA)
    columns = ("number", "airline", "origin", "destination", "departure", "arrival", "minutes", "stops", "aircraft")
    for row in rows("tasks/flights.tsv"):
        row["arrival"] = _later(row["departure"], int(row["minutes"]))
        connection.execute(f"INSERT INTO flight VALUES ({', '.join('?' * 9)})", [row[name] for name in columns])
        days = [(row["number"], DAYS[int(day) - 1]) for day in row["days"]]
        connection.executemany("INSERT INTO operates VALUES (?, ?)", days)
        fares = [(row["number"], name, int(row[name])) for name in ("economy", "business")]
        connection.executemany("INSERT INTO fare VALUES (?, ?, ?)", fares)
    connection.commit()
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    connection.set_authorizer(_authorize)
    return connection


def _authorize(action: int, _: str | None, name: str | None, *__: str | None) -> int:
    """Allow reading, and only functions that cannot produce large values."""
    allowed = action in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and name in _FUNCTIONS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _later(clock: str, minutes: int) -> str:
    hours, past = divmod(int(clock[:2]) * 60 + int(clock[3:]) + minutes, 60)
    return f"{hours % 24:02d}:{past:02d}"
