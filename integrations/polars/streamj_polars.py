"""The tables of `streamj export` as Polars frames."""

import polars


def once(requests):
    """Returns one row for each request, of all rows of the table `requests`.

    Copies have the same key: the largest counts win, and the request belongs to the file that
    starts first. A recorded stream does not count if its session is also in a session file.
    """
    on_disk = requests.filter(~polars.col("is_stream")).select("session_id").unique()
    streams = requests.filter(polars.col("is_stream")).join(on_disk, on="session_id", how="anti")
    counted = polars.concat([requests.filter(~polars.col("is_stream")), streams])
    largest = polars.col("^(.*_tokens|.*cost_usd)$").max()
    owner = polars.col("harness", "model", "session_id", "project", "timestamp", "day").first()
    in_order = counted.sort("run_started_at", "file", maintain_order=True)
    return in_order.group_by("request_key", maintain_order=True).agg(owner, largest)


def tables(folder):
    """Returns the tables of an export by name; `requests` has one row for each request."""
    names = ["runs", "requests", "tools", "messages", "errors"]
    frames = {name: polars.scan_parquet(f"{folder}/{name}*.parquet") for name in names}
    return {**frames, "exported_requests": frames["requests"], "requests": once(frames["requests"])}
