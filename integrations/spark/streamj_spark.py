"""A Spark data source that reads recordings of agent CLIs with streamj.

    spark.sparkContext.addPyFile("streamj_spark.py")
    spark.dataSource.register(streamj_spark.StreamjDataSource)
    spark.read.format("streamj").option("table", "requests").load("/data/projects")

The driver lists the files and divides them into groups; each task runs one streamj process
on the paths of a group, on its executor, and returns Arrow batches.
"""

import datetime
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)

# Bytes of the files of a task, if the option `bytesPerTask` does not say otherwise.
BYTES_PER_TASK = 128 << 20

# Files of a task: starting a process costs more than reading a small file.
FILES_PER_TASK = 500


@functools.lru_cache
def tables(program):
    """Returns the columns of every table, without reading any file."""
    printed = subprocess.run([program, "export", "--print-schema"], check=True, capture_output=True)
    schema = json.loads(printed.stdout)
    return {table["name"]: table["columns"] for table in schema["tables"]}


class StreamjDataSource(DataSource):
    """Options: `table`, `path` (given to `load`), `program`, `project`, `redact`, `maxText`,
    `bytesPerTask`, `filesPerTask`."""

    @classmethod
    def name(cls):
        return "streamj"

    def schema(self):
        program = self.options.get("program", "streamj")
        columns = tables(program)[self.options.get("table", "requests")]
        return ", ".join(f"{column['name']} {column['type']}" for column in columns)

    def reader(self, schema):
        return StreamjReader(dict(self.options), schema.names)


def belong_together(previous, file):
    """Returns whether a file is the main one of a session whose folder has the previous one.

    What subagents used is counted once only if one task reads both.
    """
    return previous.startswith(os.path.splitext(file)[0] + os.sep)


class FileGroup(InputPartition):
    """The files of a task."""

    def __init__(self, files):
        super().__init__(files)
        self.files = files


class StreamjReader(DataSourceReader):
    def __init__(self, options, columns):
        self.options = options
        self.columns = columns
        # The first day, and the last one.
        self.since = None
        self.until = None

    def pushFilters(self, filters):
        """Restricts what is read to days. Spark applies all filters again."""
        for item in filters:
            day = getattr(item, "value", None)
            if getattr(item, "attribute", None) == ("day",) and isinstance(day, datetime.date):
                if isinstance(item, (EqualTo, GreaterThan, GreaterThanOrEqual)):
                    self.since = max(self.since or day, day)
                if isinstance(item, (EqualTo, LessThan, LessThanOrEqual)):
                    self.until = min(self.until or day, day)
            yield item

    def partitions(self):
        """Groups the files in their order."""
        listed = self._run(["--list", self.options["path"]])
        files = [json.loads(line) for line in listed.stdout.splitlines()]
        max_bytes = int(self.options.get("bytespertask", BYTES_PER_TASK))
        max_files = int(self.options.get("filespertask", FILES_PER_TASK))
        groups = []
        size = 0
        for file in files:
            own = file.get("size", 0)
            is_full = not groups or size + own > max_bytes or len(groups[-1]) >= max_files
            if is_full and not (groups and belong_together(groups[-1][-1], file["file"])):
                groups.append([])
                size = 0
            groups[-1].append(file["file"])
            size += own
        return [FileGroup(group) for group in groups] or [FileGroup([])]

    def read(self, partition):
        """Reads the files of a task, on an executor."""
        import pyarrow.parquet

        if not partition.files:
            return
        table = self.options.get("table", "requests")
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--files-from", "-", "--null", "--tables", table, "-o", folder]
            for name, day in [("--since", self.since), ("--until", self.until)]:
                if day is not None:
                    arguments += [name, day.isoformat()]
            names = "".join(f"{file}\0" for file in partition.files)
            result = self._run(arguments, input=names)
            files = list(pathlib.Path(folder).glob(f"{table}*.parquet"))
            # A file that cannot be read is reported; the rows of the others are complete.
            sys.stderr.write(result.stderr)
            if not files:
                raise RuntimeError(f"streamj export failed: {result.stderr.strip()}")
            for file in files:
                with pyarrow.parquet.ParquetFile(file) as rows:
                    yield from self._batches(rows)

    def _batches(self, rows):
        import pyarrow

        for batch in rows.iter_batches(columns=self.columns):
            # Spark expects columns that may be null.
            columns = [batch.column(name) for name in self.columns]
            yield pyarrow.RecordBatch.from_arrays(columns, names=self.columns)

    def _run(self, arguments, input=None):
        program = self.options.get("program", "streamj")
        command = [program, "export", "--quiet", *arguments]
        for option in ["project", "max-text"]:
            value = self.options.get(option.replace("-", ""))
            if value is not None:
                command += [f"--{option}", value]
        if self.options.get("redact", "false").lower() == "true":
            command.append("--redact")
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command, input=input, capture_output=True, text=True, env=environment, check=False
        )
        if "--list" in arguments and done.returncode > 1:
            raise RuntimeError(done.stderr.strip())
        return done
