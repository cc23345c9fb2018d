-- The categories of errors on each day.
SELECT "day", category, count(*) AS errors
FROM errors
GROUP BY "day", category
ORDER BY "day", category
