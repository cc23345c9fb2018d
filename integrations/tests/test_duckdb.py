"""DuckDB reads the Parquet tables."""

import pathlib
import sys
import tempfile
import unittest

import duckdb
import pyarrow.parquet

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import support


class DuckDb(support.Questions, unittest.TestCase):
    def setUp(self):
        self.folder = support.exported()
        self.addCleanup(self.folder.cleanup)
        self.engine = duckdb.connect()
        self.addCleanup(self.engine.close)
        self.engine.execute("SET TimeZone = 'UTC'")
        script = (support.ROOT / "integrations/duckdb/views.sql").read_text()
        for statement in script.replace("TABLES", self.folder.name).split(";"):
            if statement.strip():
                self.engine.execute(statement)
        self.engine.execute(f"CREATE VIEW requests AS {support.query('requests')}")

    def ask(self, question):
        return self.engine.execute(question).fetchall()

    def test_partitions(self):
        with tempfile.TemporaryDirectory() as folder:
            support.export(folder, "--partition-by", "day,harness")
            tables = f"read_parquet('{folder}/*/*/tools*.parquet', hive_partitioning = true)"
            count = self.engine.execute(f"SELECT count(*), min(day), min(harness) FROM {tables}")
            count, day, harness = count.fetchone()
            whole = self.engine.execute("SELECT count(*), min(day), min(harness) FROM tools")
            self.assertEqual((count, day, harness), whole.fetchone())


class PyArrow(unittest.TestCase):
    def test_schema(self):
        import json

        schema = json.loads(support.run("export", "--print-schema"))
        types = {
            "string": "string",
            "bigint": "int64",
            "double": "double",
            "boolean": "bool",
            "timestamp": "timestamp[us, tz=UTC]",
            "date": "date32[day]",
        }
        with support.exported() as folder:
            for table in schema["tables"]:
                [path] = pathlib.Path(folder).glob(f"{table['name']}*.parquet")
                file = pyarrow.parquet.ParquetFile(path)
                found = [(field.name, str(field.type), field.nullable) for field in file.schema_arrow]
                described = [
                    (column["name"], types[column["type"]], column["nullable"])
                    for column in table["columns"]
                ]
                self.assertEqual(found, described)
                version = file.metadata.metadata[b"streamj.tables.version"]
                self.assertEqual(int(version), schema["version"])
                group = file.metadata.row_group(0)
                self.assertEqual(group.column(0).compression, "ZSTD")

    def test_rows_are_those_of_jsonl(self):
        import datetime
        import json

        with support.exported() as folder, tempfile.TemporaryDirectory() as lines:
            support.export(lines, "--format", "jsonl")
            for path in pathlib.Path(lines).iterdir():
                name = path.name.split("-")[0]
                [table] = pathlib.Path(folder).glob(f"{name}*.parquet")
                rows = pyarrow.parquet.read_table(table).to_pylist()
                described = [json.loads(line) for line in path.read_text().splitlines()]
                self.assertEqual(len(rows), len(described), name)
                for row, other in zip(rows, described):
                    for column, value in row.items():
                        wanted = other.get(column)
                        if isinstance(value, datetime.datetime):
                            wanted = datetime.datetime.fromisoformat(wanted.replace("Z", "+00:00"))
                        elif isinstance(value, datetime.date):
                            value = value.isoformat()
                        if isinstance(value, float):
                            self.assertAlmostEqual(value, wanted, places=12)
                        else:
                            self.assertEqual(value, wanted, (name, column))


if __name__ == "__main__":
    unittest.main()
