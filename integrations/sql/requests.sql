-- One row for each request of the exported table `exported_requests`.
-- Copies have the same key: the largest counts win, and the request belongs to the file that
-- starts first. A recorded stream does not count if its session is also in a session file.
SELECT
    request_key,
    min_by(harness, owner) AS harness,
    min_by(model, owner) AS model,
    min_by(session_id, owner) AS session_id,
    min_by(project, owner) AS project,
    min_by("timestamp", owner) AS "timestamp",
    CAST(min_by("timestamp", owner) AS DATE) AS "day",
    max(input_tokens) AS input_tokens,
    max(output_tokens) AS output_tokens,
    max(cache_read_tokens) AS cache_read_tokens,
    max(cache_write_tokens) AS cache_write_tokens,
    max(reasoning_tokens) AS reasoning_tokens,
    max(cost_usd) AS cost_usd,
    max(estimated_cost_usd) AS estimated_cost_usd
FROM (
    SELECT *, concat(CAST(run_started_at AS VARCHAR), file) AS owner
    FROM exported_requests
    WHERE NOT is_stream
       OR session_id NOT IN (SELECT session_id FROM exported_requests WHERE NOT is_stream)
) AS counted
GROUP BY request_key
