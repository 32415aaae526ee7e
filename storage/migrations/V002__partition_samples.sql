-- Samples: partitioned by day, compressed. The file to replace on an engine that lacks these.

-- Live path: one row a (run, source, sample). Exactly one of ints and reals is set; a missing value is NULL in it.
-- A counter above 2^63-1 is stored as its two's-complement bit pattern; counter_value() turns it back.
CREATE TABLE sample_row (
  run_id    int8 NOT NULL,
  source_id int4 NOT NULL,
  seq       int8 NOT NULL,
  ts        timestamptz NOT NULL,
  ints      int8[] COMPRESSION lz4,
  reals     float8[] COMPRESSION lz4,
  PRIMARY KEY (run_id, source_id, seq, ts),
  CHECK (num_nonnulls(ints, reals) = 1)
) PARTITION BY RANGE (ts);
CREATE TABLE sample_row_default PARTITION OF sample_row DEFAULT;

-- Cold path and backfill: many samples as one block. Written from the ingest at full speed on.
CREATE TABLE sample_block (
  run_id    int8 NOT NULL,
  source_id int4 NOT NULL,
  seq       int8 NOT NULL,
  t0        timestamptz NOT NULL,
  period_us int8 NOT NULL,
  nsamples  int4 NOT NULL,
  nmetrics  int4 NOT NULL,
  codec     int2 NOT NULL,
  payload   bytea NOT NULL,
  PRIMARY KEY (run_id, source_id, seq, t0)
) PARTITION BY RANGE (t0);
ALTER TABLE sample_block ALTER payload SET STORAGE EXTERNAL;
CREATE TABLE sample_block_default PARTITION OF sample_block DEFAULT;

-- Per-operation values in the order of the operations, one row a batch.
CREATE TABLE observation_row (
  run_id    int8 NOT NULL,
  source_id int4 NOT NULL,
  seq       int8 NOT NULL,
  ord       int4 NOT NULL,  -- metric of the source
  reals     float8[] COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (run_id, source_id, seq)
);

CREATE TABLE stack_dict (
  run_id     int8 NOT NULL,
  stack_hash int8 NOT NULL,
  folded     text COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (run_id, stack_hash)
);

-- Makes the daily partitions of a table from today to `ahead` days on. One that cannot be made, because rows of its day
-- came early and lie in the default partition, is skipped. Returns how many were made.
CREATE FUNCTION make_day_partitions(parent regclass, ahead int4) RETURNS int4 LANGUAGE plpgsql AS $$
DECLARE
  day date;
  made int4 := 0;
  part text;
BEGIN
  FOR day IN SELECT (now() AT TIME ZONE 'UTC')::date + i FROM generate_series(0, ahead) AS i LOOP
    part := format('%s_%s', parent::text, to_char(day, 'YYYYMMDD'));
    CONTINUE WHEN to_regclass(part) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)', part, parent::text,
                     day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
      made := made + 1;
    EXCEPTION WHEN check_violation OR duplicate_table THEN
      NULL;
    END;
  END LOOP;
  RETURN made;
END $$;

-- A stored integer as the number it stands for.
CREATE FUNCTION counter_value(stored int8, kind text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN kind = 'counter' AND stored < 0 THEN stored::numeric + 18446744073709551616 ELSE stored::numeric END
$$;

-- One metric of one run, for Grafana.
CREATE FUNCTION metric_series(run int8, metric text)
RETURNS TABLE ("time" timestamptz, source_id int4, seq int8, value float8) LANGUAGE sql STABLE AS $$
  SELECT x.ts, x.source_id, x.seq,
         coalesce((counter_value(x.ints[m.ord], m.kind) * m.scale::numeric)::float8, x.reals[m.ord])
  FROM run_metric m JOIN sample_row x ON x.run_id = m.run_id AND x.source_id = m.source_id
  WHERE m.run_id = run AND m.name = metric
  ORDER BY x.source_id, x.seq
$$;

-- All samples of all runs in long form; always give it a run_id.
CREATE VIEW sample_long AS
  SELECT x.run_id, x.source_id, x.seq, x.ts, m.name,
         (counter_value(u.v, m.kind) * m.scale::numeric)::float8 AS value
  FROM sample_row x CROSS JOIN unnest(x.ints) WITH ORDINALITY AS u(v, ord)
  JOIN run_metric m ON m.run_id = x.run_id AND m.source_id = x.source_id AND m.ord = u.ord
  UNION ALL
  SELECT x.run_id, x.source_id, x.seq, x.ts, m.name, u.v AS value
  FROM sample_row x CROSS JOIN unnest(x.reals) WITH ORDINALITY AS u(v, ord)
  JOIN run_metric m ON m.run_id = x.run_id AND m.source_id = x.source_id AND m.ord = u.ord;

-- Run values with their names, for dashboards.
CREATE VIEW run_value_named AS
  SELECT r.run_uuid, r.start_time, r.testbox, r.commit_id, r.state, m.name, v.value, v.sample_count, v.unit, v.better,
         v.run_id, r.axes_id
  FROM run_value v JOIN run r USING (run_id) JOIN metric m USING (metric_id)
  WHERE r.exclude_reason = '';
