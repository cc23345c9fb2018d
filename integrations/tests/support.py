"""What the tests of all engines share: sessions, tables, and the answers of streamj."""

import datetime
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SQL = ROOT / "integrations" / "sql"
SESSIONS = ROOT / "tests" / "fixtures" / "transcripts"
STREAMJ = os.environ.get("STREAMJ", str(ROOT / "target" / "release" / "streamj"))

QUESTIONS = [
    "cost_by_project_and_day",
    "tokens_by_model",
    "failures_by_tool",
    "errors_by_day",
    "slowest_tools",
]


def query(name):
    """Returns the text of a SQL file."""
    return (SQL / f"{name}.sql").read_text()


def run(*arguments):
    """Runs streamj and returns what it prints."""
    command = [STREAMJ, "-q", *map(str, arguments)]
    environment = {**os.environ, "TZ": "UTC"}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if result.returncode > 1:
        raise RuntimeError(result.stderr)
    return result.stdout


def rows(*arguments):
    """Runs streamj and returns the rows it prints."""
    return [json.loads(line) for line in run(*arguments, "--format", "jsonl").splitlines()]


def export(folder, *arguments, sessions=SESSIONS):
    """Exports the sessions to a folder."""
    run("export", sessions, "-o", folder, *arguments)
    return folder


def exported():
    """Returns a temporary folder with the tables of the sessions."""
    folder = tempfile.TemporaryDirectory()
    export(folder.name)
    return folder


def answers(sessions=SESSIONS):
    """Returns the answers to the questions by streamj's own commands."""
    return {
        "cost_by_project_and_day": _cost(sessions),
        "tokens_by_model": _tokens(sessions),
        "failures_by_tool": _failures(sessions),
        "errors_by_day": _errors(sessions),
        "slowest_tools": _slowest(sessions),
    }


def _cost(sessions):
    found = {}
    for row in rows("usage", "--by", "request", "--utc", "--estimate", sessions):
        if row.get("total"):
            continue
        day = datetime.date.fromisoformat(row["timestamp"][:10])
        sums = found.setdefault((row.get("project"), day), [None, None])
        names = ["cost_usd", "estimated_cost_usd"]
        if "unpriced_models" in row:
            names.pop()
        for at, name in enumerate(names):
            if row.get(name) is not None:
                sums[at] = (sums[at] or 0.0) + row[name]
    return sorted_rows([*key, *sums] for key, sums in found.items())


def _tokens(sessions):
    names = ["input", "output", "cache_read", "cache_write", "reasoning"]
    table = rows("usage", "--by", "model", "--utc", sessions)
    return sorted_rows(
        [None if row["model"] == "unknown" else row["model"]]
        + [row.get(f"{name}_tokens", 0) for name in names]
        for row in table
        if not row.get("total")
    )


def _failures(sessions):
    found = {}
    for row in rows("tools", sessions):
        counts = found.setdefault(row.get("name"), [0, 0])
        counts[0] += 1
        counts[1] += row["status"] in ("failed", "denied")
    return sorted_rows([name, calls, bad, bad / calls] for name, (calls, bad) in found.items())


def _errors(sessions):
    found = {}
    for row in rows("error", sessions):
        day = datetime.date.fromisoformat(row["timestamp"][:10]) if "timestamp" in row else None
        if day is None:
            modified = os.stat(row["file"]).st_mtime
            day = datetime.datetime.fromtimestamp(modified, datetime.timezone.utc).date()
        found[day, row["category"]] = found.get((day, row["category"]), 0) + 1
    return sorted_rows([*key, count] for key, count in found.items())


def _slowest(sessions):
    """Pairs calls with results by the events, as a check of the durations."""
    started, ended, reported, found = {}, {}, {}, {}
    calls = rows("tools", sessions)
    files = {row["file"] for row in calls}
    # Read alone, events have the times of their own lines only.
    events = [(file, event) for file in files for event in rows("events", "--unified", file)]
    for file, event in events:
        place = (file, event.get("id"))
        if event["kind"] == "tool_call":
            started.setdefault(place, event.get("timestamp"))
        if event["kind"] == "tool_result":
            ended[place] = event.get("timestamp")
        if "duration_ms" in event and event["kind"] in ("tool_result", "tool_status"):
            reported[place] = event["duration_ms"]
    for row in calls:
        if row["status"] == "pending":
            continue
        place = (row["file"], row.get("id"))
        duration = row.get("duration_ms", reported.get(place))
        if duration is None and started.get(place) and ended.get(place):
            elapsed = _time(ended[place]) - _time(started[place])
            if elapsed < datetime.timedelta():
                continue
            duration = elapsed // datetime.timedelta(milliseconds=1)
        if duration is not None:
            found.setdefault(row.get("name"), []).append(duration)
    table = [[name, max(times), sum(times), len(times)] for name, times in found.items()]
    return sorted(table, key=lambda row: (-row[1], row[0]))[:5]


def _time(text):
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    # Some CLIs write local times without a zone.
    return time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)


def sorted_rows(table):
    """Sorts rows with missing values."""
    return sorted((list(row) for row in table), key=repr)


def normal(table):
    """Returns rows as lists with values that can be compared."""
    def value(cell):
        if isinstance(cell, datetime.datetime):
            return cell.date()
        return cell

    return [[value(cell) for cell in row] for row in table]


class Questions:
    """Compares the answers of an engine, which `ask` returns, with those of streamj."""

    def test_questions(self):
        expected = answers()
        for question in QUESTIONS:
            with self.subTest(question):
                found = normal(self.ask(query(question)))
                if question != "slowest_tools":
                    found = sorted_rows(found)
                self.assert_same(found, expected[question])

    def assert_same(self, found, expected):
        self.assertGreater(len(expected), 2)
        self.assertEqual(len(found), len(expected), (found, expected))
        for one, other in zip(found, expected):
            self.assertEqual(len(one), len(other))
            for cell, wanted in zip(one, other):
                if isinstance(wanted, float):
                    self.assertAlmostEqual(float(cell), wanted, places=9)
                else:
                    self.assertEqual(cell, wanted, (one, other))
