"""Opens every raw table of a bundle as a stranger would, with DuckDB and with
pandas, and compares the columns with the documented ones.

usage: read_bundle.py BUNDLE COLUMNS.json
COLUMNS.json maps each table to the list of its documented columns.
"""

import glob
import json
import sys

import duckdb
import pandas


def main(bundle, columns_file):
    with open(columns_file) as f:
        documented = json.load(f)
    rows = {}
    for table, columns in documented.items():
        pattern = f"{bundle}/raw/launch-*/{table}-*.parquet"
        files = sorted(glob.glob(pattern))
        if not files:
            rows[table] = 0
            continue
        by_duckdb = duckdb.sql(f"select * from read_parquet('{pattern}')")
        by_pandas = pandas.concat(pandas.read_parquet(f) for f in files)
        for reader, got in (("duckdb", by_duckdb.columns), ("pandas", list(by_pandas.columns))):
            if list(got) != columns:
                sys.exit(f"{reader}: table {table} has columns {got}, documented are {columns}")
        counted = duckdb.sql(f"select count(*) from read_parquet('{pattern}')").fetchone()[0]
        if counted != len(by_pandas):
            sys.exit(f"table {table}: DuckDB reads {counted} rows, pandas {len(by_pandas)}")
        rows[table] = counted
    ttft = duckdb.sql(
        f"""
        select count(*), min(c.at_ns - r.due_ns) > 0
        from read_parquet('{bundle}/raw/launch-00/requests-*.parquet') r
        join read_parquet('{bundle}/raw/launch-00/chunks-*.parquet') c using (request)
        where r.outcome = 'ok' and c.kind = 'content'
        """
    ).fetchone()
    print(json.dumps({"rows": rows, "content_chunks": ttft[0], "after_due": bool(ttft[1])}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
