"""ClickHouse, as chDB, reads the Parquet tables."""

import pathlib
import sys
import unittest

from chdb import session

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import support


class ClickHouse(support.Questions, unittest.TestCase):
    def setUp(self):
        self.folder = support.exported()
        self.addCleanup(self.folder.cleanup)
        self.engine = session.Session()
        self.addCleanup(self.engine.close)
        script = (support.ROOT / "integrations/clickhouse/views.sql").read_text()
        for statement in script.replace("TABLES", self.folder.name).split(";"):
            if statement.strip():
                self.engine.query(statement)
        requests = support.query("requests")
        self.engine.query(f"CREATE VIEW streamj.requests AS {requests}")

    def ask(self, question):
        import io

        import pyarrow.parquet

        result = self.engine.query(question, "Parquet")
        table = pyarrow.parquet.read_table(io.BytesIO(result.bytes()))
        return [list(row.values()) for row in table.to_pylist()]


if __name__ == "__main__":
    unittest.main()
