-- The tools whose calls took the longest.
SELECT name, max(duration_ms) AS longest_ms, sum(duration_ms) AS total_ms, count(*) AS calls
FROM tools
WHERE duration_ms IS NOT NULL
GROUP BY name
ORDER BY longest_ms DESC, name
LIMIT 5
