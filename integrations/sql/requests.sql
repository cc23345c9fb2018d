-- One row for each request of the exported table `exported_requests`.
-- Copies have the same key: the largest counts win, and the request belongs to the file that
-- starts first. A recorded stream does not count if its session is also in a session file.
SELECT
    counted.request_key AS request_key,
    min_by(counted.harness, counted.owner) AS harness,
    min_by(counted.model, counted.owner) AS model,
    min_by(counted.session_id, counted.owner) AS session_id,
    min_by(counted.project, counted.owner) AS project,
    min_by(counted."timestamp", counted.owner) AS "timestamp",
    min_by(counted."day", counted.owner) AS "day",
    max(counted.input_tokens) AS input_tokens,
    max(counted.output_tokens) AS output_tokens,
    max(counted.cache_read_tokens) AS cache_read_tokens,
    max(counted.cache_write_tokens) AS cache_write_tokens,
    max(counted.reasoning_tokens) AS reasoning_tokens,
    max(counted.cost_usd) AS cost_usd,
    max(counted.estimated_cost_usd) AS estimated_cost_usd
FROM (
    SELECT *, concat(run_started_at, ' ', file) AS owner
    FROM exported_requests
    WHERE NOT is_stream
       OR session_id NOT IN (SELECT session_id FROM exported_requests WHERE NOT is_stream)
) AS counted
GROUP BY counted.request_key
