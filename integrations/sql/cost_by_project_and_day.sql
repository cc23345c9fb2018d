-- What each project cost on each day, in US dollars: as reported, and by the price table.
SELECT
    project,
    "day",
    sum(cost_usd) AS cost_usd,
    sum(estimated_cost_usd) AS estimated_cost_usd
FROM requests
GROUP BY project, "day"
ORDER BY project, "day"
