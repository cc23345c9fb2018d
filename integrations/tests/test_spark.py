"""Spark reads recordings with executors that run streamj."""

import contextlib
import datetime
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time
import unittest

from pyspark.sql import SparkSession

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import support

SOURCE = support.ROOT / "integrations/spark/streamj_spark.py"
sys.path.insert(0, str(SOURCE.parent))
import streamj_spark

# Size of the large file in bytes.
LARGE = int(os.environ.get("STREAMJ_SPARK_LARGE", 64 << 20))


def session(executors=2):
    """Starts Spark with executors that are processes of their own."""
    spark = (
        SparkSession.builder.master(f"local-cluster[{executors},1,1024]")
        .appName("streamj")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "1g")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.ansi.enabled", "true")
        .config("spark.sql.ansi.doubleQuotedIdentifiers", "true")
        .config("spark.sql.python.filterPushdown.enabled", "true")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.task.maxFailures", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.addPyFile(str(SOURCE))
    spark.dataSource.register(streamj_spark.StreamjDataSource)
    return spark


def executors():
    """Returns the processes of executors that descend from this process."""
    parents, found = {}, []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                stat = (entry / "stat").read_text()
                parents[int(entry.name)] = int(stat.rsplit(")", 1)[1].split()[1])
                if b"CoarseGrainedExecutorBackend" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))

    def is_own(process):
        while process in parents:
            if process == os.getpid():
                return True
            process = parents[process]
        return False

    return [process for process in found if is_own(process)]


class Spark(support.Questions, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = session()

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()

    def load(self, table, path=support.SESSIONS, schema=None, **options):
        reader = self.spark.read.format("streamj").option("program", support.STREAMJ)
        for name, value in options.items():
            reader = reader.option(name, value)
        if schema:
            reader = reader.schema(schema)
        return reader.option("table", table).load(str(path))

    def setUp(self):
        views = {"exported_requests": "requests", "tools": "tools", "errors": "errors"}
        for view, table in views.items():
            self.load(table, filesPerTask=7).createOrReplaceTempView(view)
        self.spark.sql(support.query("requests")).createOrReplaceTempView("requests")

    def ask(self, question):
        return [list(row) for row in self.spark.sql(question).collect()]

    def copies(self, folder, count):
        """Copies a session many times, as sessions of their own."""
        [source] = (support.SESSIONS / "claude.json_schema_ok").rglob("*.jsonl")
        text = source.read_text()
        lines = json.loads(text.splitlines()[-1])
        for at in range(count):
            copy = text.replace(lines["sessionId"], f"session-{at}").replace("msg_", f"msg_{at}_")
            pathlib.Path(folder, f"{at}.jsonl").write_text(copy)

    def test_schema_without_reading(self):
        found = self.load("tools", path="/nonexistent").schema.simpleString()
        self.assertIn("started_at:timestamp", found)

    def test_columns_and_days(self):
        tools = self.load("tools", schema="day date, name string")
        day = datetime.date(2026, 11, 15)
        rows = tools.where(tools.day == day).groupBy("name").count().collect()
        table = support.rows("tools", support.SESSIONS)
        days = [row for row in table if row.get("timestamp", "")[:10] == day.isoformat()]
        self.assertGreater(len(days), 3)
        self.assertEqual(sum(row["count"] for row in rows), len(days))

    def test_filters_on_days_reach_streamj(self):
        reader = streamj_spark.StreamjReader({}, [])
        first, last = datetime.date(2026, 11, 1), datetime.date(2026, 11, 3)
        day = ("day",)
        filters = [
            streamj_spark.GreaterThanOrEqual(day, first),
            streamj_spark.LessThan(day, last),
            streamj_spark.EqualTo(("name",), "x"),
        ]
        self.assertEqual(list(reader.pushFilters(filters)), filters)
        self.assertEqual((reader.since, reader.until), (first, last))

    def test_killed_executor(self):
        with tempfile.TemporaryDirectory() as folder:
            self.copies(folder, 400)
            tools = self.load("tools", folder, filesPerTask=4)
            wanted = len(support.rows("tools", folder))
            before = executors()
            self.assertEqual(len(before), 2)
            killed = []

            def kill():
                time.sleep(2)
                os.kill(before[0], signal.SIGKILL)
                killed.append(before[0])

            thread = threading.Thread(target=kill)
            thread.start()
            counts = []
            # The job must still run when the executor is killed.
            while not killed or not counts:
                counts.append(tools.count())
            thread.join()
            counts.append(tools.count())
            self.assertEqual(set(counts), {wanted})
            self.assertNotIn(before[0], executors())

    def test_corrupt_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.copies(folder, 20)
            pathlib.Path(folder, "3.jsonl").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\1\2\3")
            path = pathlib.Path(folder, "4.jsonl")
            path.write_text('{"type":\n' + path.read_text())
            runs = self.load("runs", folder, filesPerTask=6)
            self.assertEqual(runs.count(), 19)
            self.assertEqual(runs.agg({"malformed_lines": "sum"}).collect()[0][0], 1)

    def test_many_small_files(self):
        with tempfile.TemporaryDirectory() as folder:
            self.copies(folder, 1000)
            started = time.monotonic()
            runs = self.load("runs", folder).groupBy("harness").count().collect()
            seconds = time.monotonic() - started
            self.assertEqual([row["count"] for row in runs], [1000])
            print(f"\n1,000 files: {seconds:.1f} s", file=sys.stderr)

    def test_large_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.copies(folder, 1)
            small = pathlib.Path(folder, "0.jsonl")
            text = small.read_bytes()
            tools = len(support.rows("tools", small))
            repeats = LARGE // len(text)
            with pathlib.Path(folder, "large.jsonl").open("wb") as large:
                for _ in range(repeats):
                    large.write(text)
            small.unlink()
            started = time.monotonic()
            count = self.load("tools", folder, schema="name string, status string").count()
            seconds = time.monotonic() - started
            self.assertEqual(count, tools * repeats)
            print(f"\n{LARGE >> 20} MiB: {seconds:.1f} s", file=sys.stderr)


@unittest.skipUnless("STREAMJ_SPARK_SCALE" in os.environ, "STREAMJ_SPARK_SCALE is not set")
class Scale(unittest.TestCase):
    """Measures one and two executors on the same files."""

    def test_scale(self):
        with tempfile.TemporaryDirectory() as folder:
            for at in range(int(os.environ["STREAMJ_SPARK_SCALE"])):
                shutil.copytree(support.SESSIONS, pathlib.Path(folder, str(at)))
            size = sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*.jsonl"))
            for count in [1, 2]:
                spark = session(count)
                reader = spark.read.format("streamj").option("program", support.STREAMJ)
                runs = reader.option("table", "messages").option("bytesPerTask", size // 16)
                runs = runs.load(folder)
                runs.count()
                started = time.monotonic()
                rows = runs.count()
                seconds = time.monotonic() - started
                spark.stop()
                print(f"\n{count} executors: {seconds:.1f} s, {rows} rows, {size >> 20} MiB")


if __name__ == "__main__":
    unittest.main()
