-- TABLES is the folder of the export (on a server, a folder below its user_files).
CREATE DATABASE streamj;
USE streamj;
CREATE VIEW runs AS SELECT * FROM file('TABLES/runs*.parquet', Parquet);
CREATE VIEW exported_requests AS SELECT * FROM file('TABLES/requests*.parquet', Parquet);
CREATE VIEW tools AS SELECT * FROM file('TABLES/tools*.parquet', Parquet);
CREATE VIEW messages AS SELECT * FROM file('TABLES/messages*.parquet', Parquet);
CREATE VIEW errors AS SELECT * FROM file('TABLES/errors*.parquet', Parquet)
