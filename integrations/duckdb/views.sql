-- TABLES is the folder of the export.
CREATE VIEW runs AS SELECT * FROM 'TABLES/runs*.parquet';
CREATE VIEW exported_requests AS SELECT * FROM 'TABLES/requests*.parquet';
CREATE VIEW tools AS SELECT * FROM 'TABLES/tools*.parquet';
CREATE VIEW messages AS SELECT * FROM 'TABLES/messages*.parquet';
CREATE VIEW errors AS SELECT * FROM 'TABLES/errors*.parquet';
