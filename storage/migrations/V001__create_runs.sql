-- The first schema: what is tested, runs and their data, the work queue, regressions.
--
-- Every table of a run's data has run_id first in its key: the distribution column, should the schema move to Citus.
-- Ids of names (metric_id, axes_id, stack_hash) are the first 63 bits of the text's SHA-256, so no sequence hands them
-- out. Rows that people or bots make have created_by. What only PostgreSQL has (partitions, lz4, storage modes) stands in V002.

-- What is tested -------------------------------------------------------------------------------------------------

CREATE TABLE commit (
  commit_id      text PRIMARY KEY CHECK (commit_id <> ''),  -- 40 hex, a local name, or patch:<message-id>@<base>
  describe       text NOT NULL DEFAULT '',
  subject        text NOT NULL DEFAULT '',
  author         text NOT NULL DEFAULT '',
  author_time    timestamptz,
  parents_known  boolean NOT NULL DEFAULT false,
  trailers       text[] NOT NULL DEFAULT '{}',
  -- Set together when the tested thing is a patch on a base commit.
  patch_message_id     text,
  patch_base_commit_id text,
  patch_number         int4,
  patch_total          int4,
  patch_series_version int4,
  arrival_time   timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_by     text NOT NULL,
  CHECK ((patch_message_id IS NULL) = (patch_base_commit_id IS NULL))
);
CREATE INDEX commit_prefix   ON commit (commit_id text_pattern_ops);
CREATE INDEX commit_describe ON commit (describe) WHERE describe <> '';
CREATE INDEX commit_patch    ON commit (patch_message_id) WHERE patch_message_id IS NOT NULL;
CREATE INDEX commit_arrival  ON commit (arrival_time, commit_id);

-- Parents may be ids that no row of commit has yet.
CREATE TABLE commit_parent (
  commit_id text NOT NULL REFERENCES commit,
  ord       int4 NOT NULL,  -- 1 = first parent
  parent_id text NOT NULL,
  PRIMARY KEY (commit_id, ord),
  CHECK (parent_id <> commit_id)
);
CREATE INDEX commit_parent_child ON commit_parent (parent_id);

CREATE TABLE commit_branch (
  commit_id text NOT NULL REFERENCES commit,
  branch    text NOT NULL,
  PRIMARY KEY (commit_id, branch)
);
CREATE INDEX commit_branch_name ON commit_branch (branch);

-- Axes: identity is the sorted pairs (canonical text, hashed); print order is kept beside it.
CREATE TABLE axes (
  axes_id     int8 PRIMARY KEY,
  canonical   text NOT NULL UNIQUE,
  print_order text[] NOT NULL  -- keys, as first seen
);
CREATE TABLE axis (
  axes_id int8 NOT NULL REFERENCES axes,
  key     text NOT NULL,
  value   text NOT NULL,
  PRIMARY KEY (axes_id, key)
);
CREATE INDEX axis_pair ON axis (key, value);

CREATE TABLE metric (
  metric_id int8 PRIMARY KEY,
  name      text NOT NULL UNIQUE
);

-- Runs -----------------------------------------------------------------------------------------------------------

CREATE TABLE run (
  run_id         int8 PRIMARY KEY CHECK (run_id > 0),  -- 63 bits of the UUID that the agent drew
  run_uuid       uuid NOT NULL,
  epoch          int8 NOT NULL DEFAULT 1,              -- rises with each Hello; fences older streams
  axes_id        int8 NOT NULL,
  commit_id      text NOT NULL,
  testbox        text NOT NULL DEFAULT '',
  boot_id        text NOT NULL DEFAULT '',
  facts          jsonb NOT NULL DEFAULT '{}',
  command        text[] NOT NULL DEFAULT '{}',
  job_toml       text NOT NULL DEFAULT '',
  agent_version  text NOT NULL DEFAULT '',
  monitor_notes  jsonb NOT NULL DEFAULT '{}',
  state          text NOT NULL DEFAULT 'open'
                 CHECK (state IN ('open', 'complete', 'failed', 'incomplete', 'sealed', 'deleted')),
  start_time     timestamptz NOT NULL,
  create_time    timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen_time timestamptz NOT NULL DEFAULT clock_timestamp(),
  end_time       timestamptz,
  exit_status    int4,
  term_signal    int4,
  failure        text NOT NULL DEFAULT '',
  last_output    text[] NOT NULL DEFAULT '{}',
  exclude_reason text NOT NULL DEFAULT '',
  excluded_by    text NOT NULL DEFAULT '',
  created_by     text NOT NULL
);
CREATE INDEX run_group_key  ON run (axes_id, commit_id);
CREATE INDEX run_commit     ON run (commit_id);
CREATE INDEX run_newest     ON run (create_time DESC, run_id DESC);
CREATE INDEX run_uuid_text  ON run ((run_uuid::text) text_pattern_ops);
CREATE INDEX run_testbox    ON run (testbox, create_time DESC);

CREATE TABLE run_source (
  run_id    int8 NOT NULL,
  source_id int4 NOT NULL,
  name      text NOT NULL,
  content   text NOT NULL CHECK (content IN ('int', 'double', 'stacks', 'observations')),
  period_us int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, source_id)
);

-- Dictionary of a source: column ord of its rows. Append only.
CREATE TABLE run_metric (
  run_id    int8 NOT NULL,
  source_id int4 NOT NULL,
  ord       int4 NOT NULL,  -- 1 = first column
  name      text NOT NULL,
  unit      text NOT NULL DEFAULT '',
  kind      text NOT NULL CHECK (kind IN ('gauge', 'counter', 'delta', 'ratio')),
  better    text NOT NULL CHECK (better IN ('higher', 'lower', 'neither')),
  reduction text NOT NULL CHECK (reduction IN ('mean', 'delta', 'sum', 'max')),
  scale     float8 NOT NULL DEFAULT 1,  -- value = stored integer * scale
  PRIMARY KEY (run_id, source_id, ord),
  UNIQUE (run_id, source_id, name)
);

CREATE TABLE ingest_cursor (
  run_id    int8 NOT NULL,
  source_id int4 NOT NULL,
  epoch     int8 NOT NULL,
  last_seq  int8 NOT NULL,
  PRIMARY KEY (run_id, source_id)
) WITH (fillfactor = 50);

CREATE TABLE ingest_gap (
  run_id    int8 NOT NULL,
  source_id int4 NOT NULL,
  first_seq int8 NOT NULL,
  count     int8 NOT NULL CHECK (count > 0),
  reason    text NOT NULL DEFAULT '',
  PRIMARY KEY (run_id, source_id, first_seq)
);

-- The one number that a run has for a metric.
CREATE TABLE run_value (
  run_id       int8 NOT NULL,
  metric_id    int8 NOT NULL,
  value        float8 NOT NULL,
  sample_count int8 NOT NULL,
  unit         text NOT NULL DEFAULT '',
  kind         text NOT NULL,
  better       text NOT NULL,
  reduction    text NOT NULL,
  PRIMARY KEY (run_id, metric_id)
);

CREATE TABLE stack_count (
  run_id      int8 NOT NULL,
  source_id   int4 NOT NULL,
  seq         int8 NOT NULL,
  stack_hash  int8 NOT NULL,
  begin_time  timestamptz NOT NULL,
  duration_us int8 NOT NULL,
  n           int8 NOT NULL,
  PRIMARY KEY (run_id, source_id, seq, stack_hash)
);

-- The work queue and what it makes ---------------------------------------------------------------------------------

-- One row for each run that ended (or was excluded) and is not judged yet.
CREATE TABLE detection_due (
  run_id    int8 PRIMARY KEY,
  axes_id   int8 NOT NULL,
  commit_id text NOT NULL,
  due_time  timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts  int4 NOT NULL DEFAULT 0,
  last_error text NOT NULL DEFAULT ''
);
CREATE INDEX detection_due_order ON detection_due (due_time, run_id);

-- A run group, and the commit that it was last compared with.
CREATE TABLE run_group (
  axes_id        int8 NOT NULL,
  commit_id      text NOT NULL,
  arrival_time   timestamptz NOT NULL DEFAULT clock_timestamp(),
  base_commit_id text,
  judged_time    timestamptz,
  PRIMARY KEY (axes_id, commit_id)
);
CREATE INDEX run_group_base ON run_group (axes_id, base_commit_id);

CREATE TABLE regression (
  regression_id   int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  axes_id         int8 NOT NULL,
  base_commit_id  text NOT NULL,
  head_commit_id  text NOT NULL,
  state           text NOT NULL CHECK (state IN ('new', 'confirmed', 'reported', 'acknowledged', 'fixed', 'went_away',
                                                 'retracted', 'environment', 'false_positive')),
  state_by_person boolean NOT NULL DEFAULT false,  -- final for the worker
  muted           boolean NOT NULL DEFAULT false,
  mute_reason     text NOT NULL DEFAULT '',
  mute_end_time   timestamptz,
  title           text NOT NULL,
  headline_metric text NOT NULL,
  facts           jsonb NOT NULL DEFAULT '{}',
  version         int8 NOT NULL DEFAULT 1,
  create_time     timestamptz NOT NULL DEFAULT clock_timestamp(),
  update_time     timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_by      text NOT NULL,
  UNIQUE (axes_id, base_commit_id, head_commit_id)
);
CREATE INDEX regression_newest ON regression (create_time DESC, regression_id DESC);
CREATE INDEX regression_head   ON regression (head_commit_id);

-- Every number that the verdict rests on, as it was.
CREATE TABLE regression_metric (
  regression_id int8 NOT NULL REFERENCES regression ON DELETE CASCADE,
  ord           int4 NOT NULL,  -- 1 = headline
  name          text NOT NULL,
  unit          text NOT NULL DEFAULT '',
  kind          text NOT NULL,
  better        text NOT NULL,
  reduction     text NOT NULL,
  verdict       text NOT NULL,
  reason        text NOT NULL,
  rule          text NOT NULL,
  base_count    int4 NOT NULL,
  base_mean     float8 NOT NULL,
  base_stddev   float8 NOT NULL,
  head_count    int4 NOT NULL,
  head_mean     float8 NOT NULL,
  head_stddev   float8 NOT NULL,
  absolute_change     float8 NOT NULL,
  relative_change     float8,
  t_statistic         float8,
  degrees_of_freedom  float8,
  p_value             float8,
  q_value             float8,
  rank_p_value        float8,
  shift               float8,
  max_q_value         float8 NOT NULL,
  min_relative_change float8 NOT NULL,
  min_absolute_change float8 NOT NULL,
  family_size         int4 NOT NULL,
  PRIMARY KEY (regression_id, ord),
  UNIQUE (regression_id, name)
);

-- Its history. Writers hold one transaction lock, so ids become visible in their order.
CREATE TABLE regression_event (
  event_id      int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  regression_id int8 NOT NULL REFERENCES regression ON DELETE CASCADE,
  state         text NOT NULL,
  event_time    timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_by    text NOT NULL,
  comment       text NOT NULL DEFAULT ''
);
CREATE INDEX regression_event_of ON regression_event (regression_id, event_id);
