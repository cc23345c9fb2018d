"""Polars reads the Parquet tables."""

import pathlib
import sys
import unittest

import polars

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import support

sys.path.insert(0, str(support.ROOT / "integrations/polars"))
import streamj_polars


class Polars(support.Questions, unittest.TestCase):
    def setUp(self):
        self.folder = support.exported()
        self.addCleanup(self.folder.cleanup)
        tables = streamj_polars.tables(self.folder.name)
        self.engine = polars.SQLContext(tables)

    def ask(self, question):
        return self.engine.execute(question).collect().rows()


if __name__ == "__main__":
    unittest.main()
