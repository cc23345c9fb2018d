-- How often each tool was called, and how many of the calls failed or were denied.
SELECT
    name,
    count(*) AS calls,
    sum(CASE WHEN status IN ('failed', 'denied') THEN 1 ELSE 0 END) AS failures,
    CAST(sum(CASE WHEN status IN ('failed', 'denied') THEN 1 ELSE 0 END) AS DOUBLE) / count(*)
        AS failure_rate
FROM tools
GROUP BY name
ORDER BY name
