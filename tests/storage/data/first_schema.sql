-- The database of the first release, made by pg_dump --inserts --no-owner: runs, samples and a regression in the first schema.
-- Functions were made before their tables here, as pg_dump orders them.
SET LOCAL check_function_bodies = off;
--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)


--
-- Name: counter_value(bigint, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.counter_value(stored bigint, kind text) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT CASE WHEN kind = 'counter' AND stored < 0 THEN stored::numeric + 18446744073709551616 ELSE stored::numeric END
$$;


--
-- Name: make_day_partitions(regclass, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.make_day_partitions(parent regclass, ahead integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: metric_series(bigint, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.metric_series(run bigint, metric text) RETURNS TABLE("time" timestamp with time zone, source_id integer, seq bigint, value double precision)
    LANGUAGE sql STABLE
    AS $$
  SELECT x.ts, x.source_id, x.seq,
         coalesce((counter_value(x.ints[m.ord], m.kind) * m.scale::numeric)::float8, x.reals[m.ord])
  FROM run_metric m JOIN sample_row x ON x.run_id = m.run_id AND x.source_id = m.source_id
  WHERE m.run_id = run AND m.name = metric
  ORDER BY x.source_id, x.seq
$$;




--
-- Name: axes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axes (
    axes_id bigint NOT NULL,
    canonical text NOT NULL,
    print_order text[] NOT NULL
);


--
-- Name: axis; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.axis (
    axes_id bigint NOT NULL,
    key text NOT NULL,
    value text NOT NULL
);


--
-- Name: commit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.commit (
    commit_id text NOT NULL,
    describe text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    author_time timestamp with time zone,
    parents_known boolean DEFAULT false NOT NULL,
    trailers text[] DEFAULT '{}'::text[] NOT NULL,
    patch_message_id text,
    patch_base_commit_id text,
    patch_number integer,
    patch_total integer,
    patch_series_version integer,
    arrival_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT commit_check CHECK (((patch_message_id IS NULL) = (patch_base_commit_id IS NULL))),
    CONSTRAINT commit_commit_id_check CHECK ((commit_id <> ''::text))
);


--
-- Name: commit_branch; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.commit_branch (
    commit_id text NOT NULL,
    branch text NOT NULL
);


--
-- Name: commit_parent; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.commit_parent (
    commit_id text NOT NULL,
    ord integer NOT NULL,
    parent_id text NOT NULL,
    CONSTRAINT commit_parent_check CHECK ((parent_id <> commit_id))
);


--
-- Name: detection_due; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.detection_due (
    run_id bigint NOT NULL,
    axes_id bigint NOT NULL,
    commit_id text NOT NULL,
    due_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text DEFAULT ''::text NOT NULL
);


--
-- Name: ingest_cursor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ingest_cursor (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    epoch bigint NOT NULL,
    last_seq bigint NOT NULL
)
WITH (fillfactor='50');


--
-- Name: ingest_gap; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ingest_gap (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    first_seq bigint NOT NULL,
    count bigint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT ingest_gap_count_check CHECK ((count > 0))
);


--
-- Name: metric; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.metric (
    metric_id bigint NOT NULL,
    name text NOT NULL
);


--
-- Name: observation_row; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.observation_row (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    ord integer NOT NULL,
    reals double precision[] NOT NULL
);
ALTER TABLE ONLY public.observation_row ALTER COLUMN reals SET COMPRESSION lz4;


--
-- Name: regression; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.regression (
    regression_id bigint NOT NULL,
    axes_id bigint NOT NULL,
    base_commit_id text NOT NULL,
    head_commit_id text NOT NULL,
    state text NOT NULL,
    state_by_person boolean DEFAULT false NOT NULL,
    muted boolean DEFAULT false NOT NULL,
    mute_reason text DEFAULT ''::text NOT NULL,
    mute_end_time timestamp with time zone,
    title text NOT NULL,
    headline_metric text NOT NULL,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    create_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    update_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT regression_state_check CHECK ((state = ANY (ARRAY['new'::text, 'confirmed'::text, 'reported'::text, 'acknowledged'::text, 'fixed'::text, 'went_away'::text, 'retracted'::text, 'environment'::text, 'false_positive'::text])))
);


--
-- Name: regression_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.regression_event (
    event_id bigint NOT NULL,
    regression_id bigint NOT NULL,
    state text NOT NULL,
    event_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text NOT NULL,
    comment text DEFAULT ''::text NOT NULL
);


--
-- Name: regression_event_event_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.regression_event ALTER COLUMN event_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.regression_event_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: regression_metric; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.regression_metric (
    regression_id bigint NOT NULL,
    ord integer NOT NULL,
    name text NOT NULL,
    unit text DEFAULT ''::text NOT NULL,
    kind text NOT NULL,
    better text NOT NULL,
    reduction text NOT NULL,
    verdict text NOT NULL,
    reason text NOT NULL,
    rule text NOT NULL,
    base_count integer NOT NULL,
    base_mean double precision NOT NULL,
    base_stddev double precision NOT NULL,
    head_count integer NOT NULL,
    head_mean double precision NOT NULL,
    head_stddev double precision NOT NULL,
    absolute_change double precision NOT NULL,
    relative_change double precision,
    t_statistic double precision,
    degrees_of_freedom double precision,
    p_value double precision,
    q_value double precision,
    rank_p_value double precision,
    shift double precision,
    max_q_value double precision NOT NULL,
    min_relative_change double precision NOT NULL,
    min_absolute_change double precision NOT NULL,
    family_size integer NOT NULL
);


--
-- Name: regression_regression_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.regression ALTER COLUMN regression_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.regression_regression_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: run; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run (
    run_id bigint NOT NULL,
    run_uuid uuid NOT NULL,
    epoch bigint DEFAULT 1 NOT NULL,
    axes_id bigint NOT NULL,
    commit_id text NOT NULL,
    testbox text DEFAULT ''::text NOT NULL,
    boot_id text DEFAULT ''::text NOT NULL,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    command text[] DEFAULT '{}'::text[] NOT NULL,
    job_toml text DEFAULT ''::text NOT NULL,
    agent_version text DEFAULT ''::text NOT NULL,
    monitor_notes jsonb DEFAULT '{}'::jsonb NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    start_time timestamp with time zone NOT NULL,
    create_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_seen_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    end_time timestamp with time zone,
    exit_status integer,
    term_signal integer,
    failure text DEFAULT ''::text NOT NULL,
    last_output text[] DEFAULT '{}'::text[] NOT NULL,
    exclude_reason text DEFAULT ''::text NOT NULL,
    excluded_by text DEFAULT ''::text NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT run_run_id_check CHECK ((run_id > 0)),
    CONSTRAINT run_state_check CHECK ((state = ANY (ARRAY['open'::text, 'complete'::text, 'failed'::text, 'incomplete'::text, 'sealed'::text, 'deleted'::text])))
);


--
-- Name: run_group; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_group (
    axes_id bigint NOT NULL,
    commit_id text NOT NULL,
    arrival_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    base_commit_id text,
    judged_time timestamp with time zone
);


--
-- Name: run_metric; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_metric (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    ord integer NOT NULL,
    name text NOT NULL,
    unit text DEFAULT ''::text NOT NULL,
    kind text NOT NULL,
    better text NOT NULL,
    reduction text NOT NULL,
    scale double precision DEFAULT 1 NOT NULL,
    CONSTRAINT run_metric_better_check CHECK ((better = ANY (ARRAY['higher'::text, 'lower'::text, 'neither'::text]))),
    CONSTRAINT run_metric_kind_check CHECK ((kind = ANY (ARRAY['gauge'::text, 'counter'::text, 'delta'::text, 'ratio'::text]))),
    CONSTRAINT run_metric_reduction_check CHECK ((reduction = ANY (ARRAY['mean'::text, 'delta'::text, 'sum'::text, 'max'::text])))
);


--
-- Name: run_source; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_source (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    name text NOT NULL,
    content text NOT NULL,
    period_us bigint DEFAULT 0 NOT NULL,
    CONSTRAINT run_source_content_check CHECK ((content = ANY (ARRAY['int'::text, 'double'::text, 'stacks'::text, 'observations'::text])))
);


--
-- Name: run_value; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_value (
    run_id bigint NOT NULL,
    metric_id bigint NOT NULL,
    value double precision NOT NULL,
    sample_count bigint NOT NULL,
    unit text DEFAULT ''::text NOT NULL,
    kind text NOT NULL,
    better text NOT NULL,
    reduction text NOT NULL
);


--
-- Name: run_value_named; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.run_value_named AS
 SELECT r.run_uuid,
    r.start_time,
    r.testbox,
    r.commit_id,
    r.state,
    m.name,
    v.value,
    v.sample_count,
    v.unit,
    v.better,
    v.run_id,
    r.axes_id
   FROM ((public.run_value v
     JOIN public.run r USING (run_id))
     JOIN public.metric m USING (metric_id))
  WHERE (r.exclude_reason = ''::text);


--
-- Name: sample_block; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_block (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    t0 timestamp with time zone NOT NULL,
    period_us bigint NOT NULL,
    nsamples integer NOT NULL,
    nmetrics integer NOT NULL,
    codec smallint NOT NULL,
    payload bytea NOT NULL
)
PARTITION BY RANGE (t0);
ALTER TABLE ONLY public.sample_block ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: sample_block_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_block_20261130 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    t0 timestamp with time zone NOT NULL,
    period_us bigint NOT NULL,
    nsamples integer NOT NULL,
    nmetrics integer NOT NULL,
    codec smallint NOT NULL,
    payload bytea NOT NULL
);
ALTER TABLE ONLY public.sample_block_20261130 ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: sample_block_20261201; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_block_20261201 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    t0 timestamp with time zone NOT NULL,
    period_us bigint NOT NULL,
    nsamples integer NOT NULL,
    nmetrics integer NOT NULL,
    codec smallint NOT NULL,
    payload bytea NOT NULL
);
ALTER TABLE ONLY public.sample_block_20261201 ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: sample_block_20261202; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_block_20261202 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    t0 timestamp with time zone NOT NULL,
    period_us bigint NOT NULL,
    nsamples integer NOT NULL,
    nmetrics integer NOT NULL,
    codec smallint NOT NULL,
    payload bytea NOT NULL
);
ALTER TABLE ONLY public.sample_block_20261202 ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: sample_block_20261203; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_block_20261203 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    t0 timestamp with time zone NOT NULL,
    period_us bigint NOT NULL,
    nsamples integer NOT NULL,
    nmetrics integer NOT NULL,
    codec smallint NOT NULL,
    payload bytea NOT NULL
);
ALTER TABLE ONLY public.sample_block_20261203 ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: sample_block_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_block_default (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    t0 timestamp with time zone NOT NULL,
    period_us bigint NOT NULL,
    nsamples integer NOT NULL,
    nmetrics integer NOT NULL,
    codec smallint NOT NULL,
    payload bytea NOT NULL
);
ALTER TABLE ONLY public.sample_block_default ALTER COLUMN payload SET STORAGE EXTERNAL;


--
-- Name: sample_row; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_row (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    ts timestamp with time zone NOT NULL,
    ints bigint[],
    reals double precision[],
    CONSTRAINT sample_row_check CHECK ((num_nonnulls(ints, reals) = 1))
)
PARTITION BY RANGE (ts);
ALTER TABLE ONLY public.sample_row ALTER COLUMN ints SET COMPRESSION lz4;
ALTER TABLE ONLY public.sample_row ALTER COLUMN reals SET COMPRESSION lz4;


--
-- Name: sample_long; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.sample_long AS
 SELECT x.run_id,
    x.source_id,
    x.seq,
    x.ts,
    m.name,
    ((public.counter_value(u.v, m.kind) * (m.scale)::numeric))::double precision AS value
   FROM ((public.sample_row x
     CROSS JOIN LATERAL unnest(x.ints) WITH ORDINALITY u(v, ord))
     JOIN public.run_metric m ON (((m.run_id = x.run_id) AND (m.source_id = x.source_id) AND (m.ord = u.ord))))
UNION ALL
 SELECT x.run_id,
    x.source_id,
    x.seq,
    x.ts,
    m.name,
    u.v AS value
   FROM ((public.sample_row x
     CROSS JOIN LATERAL unnest(x.reals) WITH ORDINALITY u(v, ord))
     JOIN public.run_metric m ON (((m.run_id = x.run_id) AND (m.source_id = x.source_id) AND (m.ord = u.ord))));


--
-- Name: sample_row_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_row_20261130 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    ts timestamp with time zone NOT NULL,
    ints bigint[],
    reals double precision[],
    CONSTRAINT sample_row_check CHECK ((num_nonnulls(ints, reals) = 1))
);
ALTER TABLE ONLY public.sample_row_20261130 ALTER COLUMN ints SET COMPRESSION lz4;
ALTER TABLE ONLY public.sample_row_20261130 ALTER COLUMN reals SET COMPRESSION lz4;


--
-- Name: sample_row_20261201; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_row_20261201 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    ts timestamp with time zone NOT NULL,
    ints bigint[],
    reals double precision[],
    CONSTRAINT sample_row_check CHECK ((num_nonnulls(ints, reals) = 1))
);
ALTER TABLE ONLY public.sample_row_20261201 ALTER COLUMN ints SET COMPRESSION lz4;
ALTER TABLE ONLY public.sample_row_20261201 ALTER COLUMN reals SET COMPRESSION lz4;


--
-- Name: sample_row_20261202; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_row_20261202 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    ts timestamp with time zone NOT NULL,
    ints bigint[],
    reals double precision[],
    CONSTRAINT sample_row_check CHECK ((num_nonnulls(ints, reals) = 1))
);
ALTER TABLE ONLY public.sample_row_20261202 ALTER COLUMN ints SET COMPRESSION lz4;
ALTER TABLE ONLY public.sample_row_20261202 ALTER COLUMN reals SET COMPRESSION lz4;


--
-- Name: sample_row_20261203; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_row_20261203 (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    ts timestamp with time zone NOT NULL,
    ints bigint[],
    reals double precision[],
    CONSTRAINT sample_row_check CHECK ((num_nonnulls(ints, reals) = 1))
);
ALTER TABLE ONLY public.sample_row_20261203 ALTER COLUMN ints SET COMPRESSION lz4;
ALTER TABLE ONLY public.sample_row_20261203 ALTER COLUMN reals SET COMPRESSION lz4;


--
-- Name: sample_row_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_row_default (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    ts timestamp with time zone NOT NULL,
    ints bigint[],
    reals double precision[],
    CONSTRAINT sample_row_check CHECK ((num_nonnulls(ints, reals) = 1))
);
ALTER TABLE ONLY public.sample_row_default ALTER COLUMN ints SET COMPRESSION lz4;
ALTER TABLE ONLY public.sample_row_default ALTER COLUMN reals SET COMPRESSION lz4;


--
-- Name: schema_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_version (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: stack_count; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stack_count (
    run_id bigint NOT NULL,
    source_id integer NOT NULL,
    seq bigint NOT NULL,
    stack_hash bigint NOT NULL,
    begin_time timestamp with time zone NOT NULL,
    duration_us bigint NOT NULL,
    n bigint NOT NULL
);


--
-- Name: stack_dict; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stack_dict (
    run_id bigint NOT NULL,
    stack_hash bigint NOT NULL,
    folded text NOT NULL
);
ALTER TABLE ONLY public.stack_dict ALTER COLUMN folded SET COMPRESSION lz4;


--
-- Name: sample_block_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block ATTACH PARTITION public.sample_block_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: sample_block_20261201; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block ATTACH PARTITION public.sample_block_20261201 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2026-12-02 00:00:00+00');


--
-- Name: sample_block_20261202; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block ATTACH PARTITION public.sample_block_20261202 FOR VALUES FROM ('2026-12-02 00:00:00+00') TO ('2026-12-03 00:00:00+00');


--
-- Name: sample_block_20261203; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block ATTACH PARTITION public.sample_block_20261203 FOR VALUES FROM ('2026-12-03 00:00:00+00') TO ('2026-12-04 00:00:00+00');


--
-- Name: sample_block_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block ATTACH PARTITION public.sample_block_default DEFAULT;


--
-- Name: sample_row_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row ATTACH PARTITION public.sample_row_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: sample_row_20261201; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row ATTACH PARTITION public.sample_row_20261201 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2026-12-02 00:00:00+00');


--
-- Name: sample_row_20261202; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row ATTACH PARTITION public.sample_row_20261202 FOR VALUES FROM ('2026-12-02 00:00:00+00') TO ('2026-12-03 00:00:00+00');


--
-- Name: sample_row_20261203; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row ATTACH PARTITION public.sample_row_20261203 FOR VALUES FROM ('2026-12-03 00:00:00+00') TO ('2026-12-04 00:00:00+00');


--
-- Name: sample_row_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row ATTACH PARTITION public.sample_row_default DEFAULT;


--
-- Data for Name: axes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.axes VALUES (1530044295025960025, 'tbox_group=testbox
test=swap-w-seq
testcase=vm-scalability
', '{testcase,test,tbox_group}');
INSERT INTO public.axes VALUES (6492761704138742150, 'tbox_group=testbox
testcase=swapload
', '{testcase,tbox_group}');


--
-- Data for Name: axis; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.axis VALUES (1530044295025960025, 'testcase', 'vm-scalability');
INSERT INTO public.axis VALUES (1530044295025960025, 'test', 'swap-w-seq');
INSERT INTO public.axis VALUES (1530044295025960025, 'tbox_group', 'testbox');
INSERT INTO public.axis VALUES (6492761704138742150, 'testcase', 'swapload');
INSERT INTO public.axis VALUES (6492761704138742150, 'tbox_group', 'testbox');


--
-- Data for Name: commit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.commit VALUES ('v1', '', '', '', NULL, false, '{}', NULL, NULL, NULL, NULL, NULL, '2026-11-30 20:33:53.550382+00', 'local');
INSERT INTO public.commit VALUES ('v2', '', '', '', NULL, false, '{}', NULL, NULL, NULL, NULL, NULL, '2026-11-30 20:33:53.701898+00', 'local');


--
-- Data for Name: commit_branch; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: commit_parent; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: detection_due; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ingest_cursor; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ingest_cursor VALUES (432971300777268190, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (2068511488963089372, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (8866859503739450022, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (2301032773275399579, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (3908499316384083641, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (706115476795860035, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (1975753043796908599, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (8498550450941463664, 5, 1, 1);
INSERT INTO public.ingest_cursor VALUES (5719690065097813905, 2, 1, 1);


--
-- Data for Name: ingest_gap; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: metric; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.metric VALUES (772734648739443693, 'vm-scalability.time.minor_page_faults');
INSERT INTO public.metric VALUES (822223242065417109, 'vm-scalability.time.major_page_faults');
INSERT INTO public.metric VALUES (2866780950599565687, 'vm-scalability.time.user_time');
INSERT INTO public.metric VALUES (2901031394084753880, 'vm-scalability.time.file_system_outputs');
INSERT INTO public.metric VALUES (3360960853385660493, 'vm-scalability.time.system_time');
INSERT INTO public.metric VALUES (4352038508198259284, 'vm-scalability.time.involuntary_context_switches');
INSERT INTO public.metric VALUES (4752437338019708080, 'vm-scalability.time.file_system_inputs');
INSERT INTO public.metric VALUES (5189779906366456347, 'vm-scalability.time.maximum_resident_set_size');
INSERT INTO public.metric VALUES (6194002612390205283, 'vm-scalability.throughput');
INSERT INTO public.metric VALUES (6461697827515109199, 'vm-scalability.time.percent_of_cpu_this_job_got');
INSERT INTO public.metric VALUES (7301182841673746844, 'vm-scalability.time.voluntary_context_switches');
INSERT INTO public.metric VALUES (7475442608520500268, 'vm-scalability.time.elapsed_time');
INSERT INTO public.metric VALUES (354988285394893085, 'vmstat.system.cs');
INSERT INTO public.metric VALUES (1394621521950980099, 'vmstat.memory.free');
INSERT INTO public.metric VALUES (1491162095732749989, 'vmstat.cpu.sy');
INSERT INTO public.metric VALUES (1731583949877560840, 'vmstat.cpu.id');
INSERT INTO public.metric VALUES (1892220234357605020, 'vmstat.cpu.wa');
INSERT INTO public.metric VALUES (3727924291542735348, 'vmstat.procs.r');
INSERT INTO public.metric VALUES (4341081184101588583, 'vmstat.memory.cache');
INSERT INTO public.metric VALUES (4398709686349687948, 'vmstat.memory.buff');
INSERT INTO public.metric VALUES (4545402031138198306, 'vmstat.swap.si');
INSERT INTO public.metric VALUES (4897675816004435766, 'vmstat.cpu.st');
INSERT INTO public.metric VALUES (6005634096264579422, 'vmstat.cpu.us');
INSERT INTO public.metric VALUES (6269577146694529517, 'vmstat.procs.b');
INSERT INTO public.metric VALUES (6834452665015738478, 'vmstat.io.bi');
INSERT INTO public.metric VALUES (6852120292002396912, 'vmstat.system.in');
INSERT INTO public.metric VALUES (7802895808372966445, 'vmstat.io.bo');
INSERT INTO public.metric VALUES (8619003948207651703, 'vmstat.swap.so');
INSERT INTO public.metric VALUES (8692688312218640176, 'vmstat.memory.swpd');


--
-- Data for Name: observation_row; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: regression; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.regression OVERRIDING SYSTEM VALUE VALUES (1, 1530044295025960025, 'v1', 'v2', 'confirmed', false, false, '', NULL, '-10.0% regression of vm-scalability.throughput', 'vm-scalability.throughput', '{"testbox": "testbox-1"}', 2, '2026-11-30 20:33:54.203428+00', '2026-11-30 20:33:55.226088+00', 'detector');


--
-- Data for Name: regression_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.regression_event OVERRIDING SYSTEM VALUE VALUES (1, 1, 'confirmed', '2026-11-30 20:33:54.204893+00', 'detector', '');


--
-- Data for Name: regression_metric; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.regression_metric VALUES (1, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 'regression', 'significant', 'welch-1', 4, 1001.5, 1.2909944487358056, 4, 901.5, 1.2909944487358056, -100, -0.09985022466300549, -109.54451150103323, 5.999999999999998, 3.901127657610508e-11, 3.901127657610508e-11, 0.02857142857142857, -100, 0.05, 0.01, 0, 1);


--
-- Data for Name: run; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run VALUES (432971300777268190, 'b46f51fe-50f3-4165-b26d-68e4f437d2bb', 1, 1530044295025960025, 'v1', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:53.516199+00', '2026-11-30 20:33:53.543601+00', '2026-11-30 20:33:53.605322+00', '2026-11-30 20:33:53.530509+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (2068511488963089372, '9949ddc3-e239-442a-85fd-09fe834cd7f6', 1, 1530044295025960025, 'v2', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:53.686903+00', '2026-11-30 20:33:53.700939+00', '2026-11-30 20:33:53.718799+00', '2026-11-30 20:33:53.698909+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (8866859503739450022, '4e413734-bf8c-48d3-b54c-5e89ce23fa75', 1, 1530044295025960025, 'v1', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:53.78183+00', '2026-11-30 20:33:53.798369+00', '2026-11-30 20:33:53.819356+00', '2026-11-30 20:33:53.787383+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (2301032773275399579, 'bc7f23b2-69ff-43db-a391-caafc263f640', 1, 1530044295025960025, 'v2', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:53.92077+00', '2026-11-30 20:33:53.94109+00', '2026-11-30 20:33:53.971819+00', '2026-11-30 20:33:53.929846+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (3908499316384083641, '23bc4aa1-342d-43b1-9581-8dcab9c36d08', 1, 1530044295025960025, 'v1', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:54.052094+00', '2026-11-30 20:33:54.073221+00', '2026-11-30 20:33:54.095048+00', '2026-11-30 20:33:54.062353+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (706115476795860035, '11fdc46b-82b9-46d8-9831-6423766be29b', 1, 1530044295025960025, 'v2', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:54.136561+00', '2026-11-30 20:33:54.143214+00', '2026-11-30 20:33:54.153595+00', '2026-11-30 20:33:54.145835+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (1975753043796908599, '2f511c31-7219-4147-b43a-54dd91701b70', 1, 1530044295025960025, 'v1', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:54.229322+00', '2026-11-30 20:33:54.242757+00', '2026-11-30 20:33:54.267845+00', '2026-11-30 20:33:54.239234+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (5719690065097813905, 'c763fa09-c4ee-46d5-8803-91c69f922944', 1, 6492761704138742150, 'v1', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 17:30:54+00', '2026-11-30 20:33:54.44434+00', '2026-11-30 20:33:54.468484+00', '2026-11-30 17:30:54+00', 0, 0, '', '{}', '', '', 'local');
INSERT INTO public.run VALUES (8498550450941463664, 'f10fde29-9395-412d-84ff-34b20d8f4d5d', 1, 1530044295025960025, 'v2', 'testbox-1', '', '{"testbox": "testbox-1", "kernel_release": "6.18.0"}', '{sh,-c,true}', '', '0.1.0', '{}', 'complete', '2026-11-30 20:33:54.341832+00', '2026-11-30 20:33:54.361002+00', '2026-11-30 20:33:54.380623+00', '2026-11-30 20:33:54.35933+00', 0, 0, '', '{}', '', '', 'local');


--
-- Data for Name: run_group; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_group VALUES (1530044295025960025, 'v1', '2026-11-30 20:33:53.554421+00', NULL, '2026-11-30 20:33:55.235281+00');
INSERT INTO public.run_group VALUES (1530044295025960025, 'v2', '2026-11-30 20:33:53.702119+00', 'v1', '2026-11-30 20:33:55.245115+00');
INSERT INTO public.run_group VALUES (6492761704138742150, 'v1', '2026-11-30 20:33:54.447148+00', NULL, '2026-11-30 20:33:55.247757+00');


--
-- Data for Name: run_metric; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_metric VALUES (432971300777268190, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (432971300777268190, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2068511488963089372, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8866859503739450022, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (2301032773275399579, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (3908499316384083641, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (706115476795860035, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (1975753043796908599, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 1, 'vmstat.procs.r', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 2, 'vmstat.procs.b', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 3, 'vmstat.memory.swpd', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 4, 'vmstat.memory.free', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 5, 'vmstat.memory.buff', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 6, 'vmstat.memory.cache', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 7, 'vmstat.swap.si', 'KiB/s', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 8, 'vmstat.swap.so', 'KiB/s', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 9, 'vmstat.io.bi', 'KiB/s', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 10, 'vmstat.io.bo', 'KiB/s', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 11, 'vmstat.system.in', '1/s', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 12, 'vmstat.system.cs', '1/s', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 13, 'vmstat.cpu.us', '%', 'ratio', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 14, 'vmstat.cpu.sy', '%', 'ratio', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 15, 'vmstat.cpu.id', '%', 'ratio', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 16, 'vmstat.cpu.wa', '%', 'ratio', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (5719690065097813905, 2, 17, 'vmstat.cpu.st', '%', 'ratio', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 1, 'vm-scalability.throughput', 'KB/s', 'gauge', 'higher', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 2, 'vm-scalability.time.elapsed_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 3, 'vm-scalability.time.user_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 4, 'vm-scalability.time.system_time', 's', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 5, 'vm-scalability.time.minor_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 6, 'vm-scalability.time.major_page_faults', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 7, 'vm-scalability.time.voluntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 8, 'vm-scalability.time.involuntary_context_switches', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 9, 'vm-scalability.time.maximum_resident_set_size', 'KiB', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 10, 'vm-scalability.time.file_system_inputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 11, 'vm-scalability.time.file_system_outputs', '', 'gauge', 'neither', 'mean', 1);
INSERT INTO public.run_metric VALUES (8498550450941463664, 5, 12, 'vm-scalability.time.percent_of_cpu_this_job_got', '%', 'gauge', 'neither', 'mean', 1);


--
-- Data for Name: run_source; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_source VALUES (432971300777268190, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (2068511488963089372, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (8866859503739450022, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (2301032773275399579, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (3908499316384083641, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (706115476795860035, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (1975753043796908599, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (8498550450941463664, 5, 'result', 'double', 0);
INSERT INTO public.run_source VALUES (5719690065097813905, 2, 'vmstat', 'int', 1000000);


--
-- Data for Name: run_value; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_value VALUES (432971300777268190, 6194002612390205283, 1000, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 7475442608520500268, 0.005551, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 4752437338019708080, 88, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 4352038508198259284, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 822223242065417109, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 5189779906366456347, 3588, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 772734648739443693, 138, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 6461697827515109199, 33.47144658620068, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 3360960853385660493, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 2866780950599565687, 0.0018579999999999998, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (432971300777268190, 7301182841673746844, 3, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 6194002612390205283, 900, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 7475442608520500268, 0.004006, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 4752437338019708080, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 4352038508198259284, 4, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 822223242065417109, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 5189779906366456347, 3472, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 772734648739443693, 135, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 6461697827515109199, 41.437843235147284, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 3360960853385660493, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 2866780950599565687, 0.00166, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2068511488963089372, 7301182841673746844, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 6194002612390205283, 1001, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 7475442608520500268, 0.001599, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 4752437338019708080, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 4352038508198259284, 4, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 822223242065417109, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 5189779906366456347, 3576, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 772734648739443693, 134, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 6461697827515109199, 94.74671669793621, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 3360960853385660493, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 2866780950599565687, 0.0015149999999999999, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8866859503739450022, 7301182841673746844, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 6194002612390205283, 901, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 7475442608520500268, 1.5e-05, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 4752437338019708080, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 4352038508198259284, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 822223242065417109, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 5189779906366456347, 3696, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 772734648739443693, 136, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 6461697827515109199, 9573.333333333334, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 3360960853385660493, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 2866780950599565687, 0.001436, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (2301032773275399579, 7301182841673746844, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 6194002612390205283, 1002, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 7475442608520500268, 0.001479, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 4752437338019708080, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 4352038508198259284, 5, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 822223242065417109, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 5189779906366456347, 3676, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 772734648739443693, 139, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 6461697827515109199, 107.57268424611223, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 3360960853385660493, 0.001591, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 2866780950599565687, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (3908499316384083641, 7301182841673746844, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 6194002612390205283, 902, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 7475442608520500268, 0.000933, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 4752437338019708080, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 4352038508198259284, 6, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 822223242065417109, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 5189779906366456347, 3548, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 772734648739443693, 138, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 6461697827515109199, 167.63129689174704, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 3360960853385660493, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 2866780950599565687, 0.0015639999999999999, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (706115476795860035, 7301182841673746844, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 6194002612390205283, 1003, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 7475442608520500268, 0.001383, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 4752437338019708080, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 4352038508198259284, 2, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 822223242065417109, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 5189779906366456347, 3492, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 772734648739443693, 134, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 6461697827515109199, 91.97396963123643, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 3360960853385660493, 0.001272, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 2866780950599565687, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (1975753043796908599, 7301182841673746844, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 6194002612390205283, 903, 1, 'KB/s', 'gauge', 'higher', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 7475442608520500268, 0.002898, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 4752437338019708080, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 2901031394084753880, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 4352038508198259284, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 822223242065417109, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 5189779906366456347, 3660, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 772734648739443693, 142, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 6461697827515109199, 64.4927536231884, 1, '%', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 3360960853385660493, 0, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 2866780950599565687, 0.001869, 1, 's', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (8498550450941463664, 7301182841673746844, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 1731583949877560840, 77, 1, '%', 'ratio', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 4897675816004435766, 0, 1, '%', 'ratio', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 1491162095732749989, 9, 1, '%', 'ratio', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 6005634096264579422, 14, 1, '%', 'ratio', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 1892220234357605020, 0, 1, '%', 'ratio', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 6834452665015738478, 62, 1, 'KiB/s', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 7802895808372966445, 341, 1, 'KiB/s', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 4398709686349687948, 31604, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 4341081184101588583, 3210140, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 1394621521950980099, 21112000, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 8692688312218640176, 5, 1, 'KiB', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 6269577146694529517, 0, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 3727924291542735348, 1, 1, '', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 4545402031138198306, 0, 1, 'KiB/s', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 8619003948207651703, 12, 1, 'KiB/s', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 354988285394893085, 2538, 1, '1/s', 'gauge', 'neither', 'mean');
INSERT INTO public.run_value VALUES (5719690065097813905, 6852120292002396912, 1273, 1, '1/s', 'gauge', 'neither', 'mean');


--
-- Data for Name: sample_block_20261130; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_block_20261201; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_block_20261202; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_block_20261203; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_block_default; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_row_20261130; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sample_row_20261130 VALUES (432971300777268190, 5, 1, '2026-11-30 20:33:53.530509+00', NULL, '{1000,0.005551,0.0018579999999999998,0,138,1,3,1,3588,88,0,33.47144658620068}');
INSERT INTO public.sample_row_20261130 VALUES (2068511488963089372, 5, 1, '2026-11-30 20:33:53.698909+00', NULL, '{900,0.004006,0.00166,0,135,0,1,4,3472,0,0,41.437843235147284}');
INSERT INTO public.sample_row_20261130 VALUES (8866859503739450022, 5, 1, '2026-11-30 20:33:53.787383+00', NULL, '{1001,0.001599,0.0015149999999999999,0,134,0,1,4,3576,0,0,94.74671669793621}');
INSERT INTO public.sample_row_20261130 VALUES (2301032773275399579, 5, 1, '2026-11-30 20:33:53.929846+00', NULL, '{901,1.5e-05,0.001436,0,136,0,1,0,3696,0,0,9573.333333333334}');
INSERT INTO public.sample_row_20261130 VALUES (3908499316384083641, 5, 1, '2026-11-30 20:33:54.062353+00', NULL, '{1002,0.001479,0,0.001591,139,0,1,5,3676,0,0,107.57268424611223}');
INSERT INTO public.sample_row_20261130 VALUES (706115476795860035, 5, 1, '2026-11-30 20:33:54.145835+00', NULL, '{902,0.000933,0.0015639999999999999,0,138,0,1,6,3548,0,0,167.63129689174704}');
INSERT INTO public.sample_row_20261130 VALUES (1975753043796908599, 5, 1, '2026-11-30 20:33:54.239234+00', NULL, '{1003,0.001383,0,0.001272,134,0,1,2,3492,0,0,91.97396963123643}');
INSERT INTO public.sample_row_20261130 VALUES (8498550450941463664, 5, 1, '2026-11-30 20:33:54.35933+00', NULL, '{903,0.002898,0.001869,0,142,0,1,1,3660,0,0,64.4927536231884}');
INSERT INTO public.sample_row_20261130 VALUES (5719690065097813905, 2, 1, '2026-11-30 17:30:54+00', '{1,0,5,21112000,31604,3210140,0,12,62,341,1273,2538,14,9,77,0,0}', NULL);


--
-- Data for Name: sample_row_20261201; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_row_20261202; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_row_20261203; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sample_row_default; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_version VALUES (1, 'create_runs', 'e9563c54b2364a826fa31c784ab0d931d53555475c13599ef3cf8ffeb7a97b27', '2026-11-30 20:33:53.050995+00');
INSERT INTO public.schema_version VALUES (2, 'partition_samples', 'cc6fd1f60c9d960817c2f4562aa58dae90f476927eb6c2f8e783890886b83d96', '2026-11-30 20:33:53.101986+00');


--
-- Data for Name: stack_count; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: stack_dict; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: regression_event_event_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.regression_event_event_id_seq', 1, true);


--
-- Name: regression_regression_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.regression_regression_id_seq', 1, true);


--
-- Name: axes axes_canonical_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes
    ADD CONSTRAINT axes_canonical_key UNIQUE (canonical);


--
-- Name: axes axes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axes
    ADD CONSTRAINT axes_pkey PRIMARY KEY (axes_id);


--
-- Name: axis axis_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axis
    ADD CONSTRAINT axis_pkey PRIMARY KEY (axes_id, key);


--
-- Name: commit_branch commit_branch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commit_branch
    ADD CONSTRAINT commit_branch_pkey PRIMARY KEY (commit_id, branch);


--
-- Name: commit_parent commit_parent_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commit_parent
    ADD CONSTRAINT commit_parent_pkey PRIMARY KEY (commit_id, ord);


--
-- Name: commit commit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commit
    ADD CONSTRAINT commit_pkey PRIMARY KEY (commit_id);


--
-- Name: detection_due detection_due_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.detection_due
    ADD CONSTRAINT detection_due_pkey PRIMARY KEY (run_id);


--
-- Name: ingest_cursor ingest_cursor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ingest_cursor
    ADD CONSTRAINT ingest_cursor_pkey PRIMARY KEY (run_id, source_id);


--
-- Name: ingest_gap ingest_gap_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ingest_gap
    ADD CONSTRAINT ingest_gap_pkey PRIMARY KEY (run_id, source_id, first_seq);


--
-- Name: metric metric_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metric
    ADD CONSTRAINT metric_name_key UNIQUE (name);


--
-- Name: metric metric_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metric
    ADD CONSTRAINT metric_pkey PRIMARY KEY (metric_id);


--
-- Name: observation_row observation_row_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation_row
    ADD CONSTRAINT observation_row_pkey PRIMARY KEY (run_id, source_id, seq);


--
-- Name: regression regression_axes_id_base_commit_id_head_commit_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.regression
    ADD CONSTRAINT regression_axes_id_base_commit_id_head_commit_id_key UNIQUE (axes_id, base_commit_id, head_commit_id);


--
-- Name: regression_event regression_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.regression_event
    ADD CONSTRAINT regression_event_pkey PRIMARY KEY (event_id);


--
-- Name: regression_metric regression_metric_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.regression_metric
    ADD CONSTRAINT regression_metric_pkey PRIMARY KEY (regression_id, ord);


--
-- Name: regression_metric regression_metric_regression_id_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.regression_metric
    ADD CONSTRAINT regression_metric_regression_id_name_key UNIQUE (regression_id, name);


--
-- Name: regression regression_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.regression
    ADD CONSTRAINT regression_pkey PRIMARY KEY (regression_id);


--
-- Name: run_group run_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_group
    ADD CONSTRAINT run_group_pkey PRIMARY KEY (axes_id, commit_id);


--
-- Name: run_metric run_metric_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_metric
    ADD CONSTRAINT run_metric_pkey PRIMARY KEY (run_id, source_id, ord);


--
-- Name: run_metric run_metric_run_id_source_id_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_metric
    ADD CONSTRAINT run_metric_run_id_source_id_name_key UNIQUE (run_id, source_id, name);


--
-- Name: run run_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (run_id);


--
-- Name: run_source run_source_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_source
    ADD CONSTRAINT run_source_pkey PRIMARY KEY (run_id, source_id);


--
-- Name: run_value run_value_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_value
    ADD CONSTRAINT run_value_pkey PRIMARY KEY (run_id, metric_id);


--
-- Name: sample_block sample_block_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block
    ADD CONSTRAINT sample_block_pkey PRIMARY KEY (run_id, source_id, seq, t0);


--
-- Name: sample_block_20261130 sample_block_20261130_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block_20261130
    ADD CONSTRAINT sample_block_20261130_pkey PRIMARY KEY (run_id, source_id, seq, t0);


--
-- Name: sample_block_20261201 sample_block_20261201_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block_20261201
    ADD CONSTRAINT sample_block_20261201_pkey PRIMARY KEY (run_id, source_id, seq, t0);


--
-- Name: sample_block_20261202 sample_block_20261202_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block_20261202
    ADD CONSTRAINT sample_block_20261202_pkey PRIMARY KEY (run_id, source_id, seq, t0);


--
-- Name: sample_block_20261203 sample_block_20261203_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block_20261203
    ADD CONSTRAINT sample_block_20261203_pkey PRIMARY KEY (run_id, source_id, seq, t0);


--
-- Name: sample_block_default sample_block_default_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_block_default
    ADD CONSTRAINT sample_block_default_pkey PRIMARY KEY (run_id, source_id, seq, t0);


--
-- Name: sample_row sample_row_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row
    ADD CONSTRAINT sample_row_pkey PRIMARY KEY (run_id, source_id, seq, ts);


--
-- Name: sample_row_20261130 sample_row_20261130_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row_20261130
    ADD CONSTRAINT sample_row_20261130_pkey PRIMARY KEY (run_id, source_id, seq, ts);


--
-- Name: sample_row_20261201 sample_row_20261201_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row_20261201
    ADD CONSTRAINT sample_row_20261201_pkey PRIMARY KEY (run_id, source_id, seq, ts);


--
-- Name: sample_row_20261202 sample_row_20261202_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row_20261202
    ADD CONSTRAINT sample_row_20261202_pkey PRIMARY KEY (run_id, source_id, seq, ts);


--
-- Name: sample_row_20261203 sample_row_20261203_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row_20261203
    ADD CONSTRAINT sample_row_20261203_pkey PRIMARY KEY (run_id, source_id, seq, ts);


--
-- Name: sample_row_default sample_row_default_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_row_default
    ADD CONSTRAINT sample_row_default_pkey PRIMARY KEY (run_id, source_id, seq, ts);


--
-- Name: schema_version schema_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (version);


--
-- Name: stack_count stack_count_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stack_count
    ADD CONSTRAINT stack_count_pkey PRIMARY KEY (run_id, source_id, seq, stack_hash);


--
-- Name: stack_dict stack_dict_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stack_dict
    ADD CONSTRAINT stack_dict_pkey PRIMARY KEY (run_id, stack_hash);


--
-- Name: axis_pair; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX axis_pair ON public.axis USING btree (key, value);


--
-- Name: commit_arrival; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commit_arrival ON public.commit USING btree (arrival_time, commit_id);


--
-- Name: commit_branch_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commit_branch_name ON public.commit_branch USING btree (branch);


--
-- Name: commit_describe; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commit_describe ON public.commit USING btree (describe) WHERE (describe <> ''::text);


--
-- Name: commit_parent_child; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commit_parent_child ON public.commit_parent USING btree (parent_id);


--
-- Name: commit_patch; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commit_patch ON public.commit USING btree (patch_message_id) WHERE (patch_message_id IS NOT NULL);


--
-- Name: commit_prefix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX commit_prefix ON public.commit USING btree (commit_id text_pattern_ops);


--
-- Name: detection_due_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX detection_due_order ON public.detection_due USING btree (due_time, run_id);


--
-- Name: regression_event_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX regression_event_of ON public.regression_event USING btree (regression_id, event_id);


--
-- Name: regression_head; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX regression_head ON public.regression USING btree (head_commit_id);


--
-- Name: regression_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX regression_newest ON public.regression USING btree (create_time DESC, regression_id DESC);


--
-- Name: run_commit; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_commit ON public.run USING btree (commit_id);


--
-- Name: run_group_base; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_group_base ON public.run_group USING btree (axes_id, base_commit_id);


--
-- Name: run_group_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_group_key ON public.run USING btree (axes_id, commit_id);


--
-- Name: run_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_newest ON public.run USING btree (create_time DESC, run_id DESC);


--
-- Name: run_testbox; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_testbox ON public.run USING btree (testbox, create_time DESC);


--
-- Name: run_uuid_text; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_uuid_text ON public.run USING btree (((run_uuid)::text) text_pattern_ops);


--
-- Name: sample_block_20261130_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_block_pkey ATTACH PARTITION public.sample_block_20261130_pkey;


--
-- Name: sample_block_20261201_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_block_pkey ATTACH PARTITION public.sample_block_20261201_pkey;


--
-- Name: sample_block_20261202_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_block_pkey ATTACH PARTITION public.sample_block_20261202_pkey;


--
-- Name: sample_block_20261203_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_block_pkey ATTACH PARTITION public.sample_block_20261203_pkey;


--
-- Name: sample_block_default_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_block_pkey ATTACH PARTITION public.sample_block_default_pkey;


--
-- Name: sample_row_20261130_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_row_pkey ATTACH PARTITION public.sample_row_20261130_pkey;


--
-- Name: sample_row_20261201_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_row_pkey ATTACH PARTITION public.sample_row_20261201_pkey;


--
-- Name: sample_row_20261202_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_row_pkey ATTACH PARTITION public.sample_row_20261202_pkey;


--
-- Name: sample_row_20261203_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_row_pkey ATTACH PARTITION public.sample_row_20261203_pkey;


--
-- Name: sample_row_default_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.sample_row_pkey ATTACH PARTITION public.sample_row_default_pkey;


--
-- Name: axis axis_axes_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.axis
    ADD CONSTRAINT axis_axes_id_fkey FOREIGN KEY (axes_id) REFERENCES public.axes(axes_id);


--
-- Name: commit_branch commit_branch_commit_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commit_branch
    ADD CONSTRAINT commit_branch_commit_id_fkey FOREIGN KEY (commit_id) REFERENCES public.commit(commit_id);


--
-- Name: commit_parent commit_parent_commit_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.commit_parent
    ADD CONSTRAINT commit_parent_commit_id_fkey FOREIGN KEY (commit_id) REFERENCES public.commit(commit_id);


--
-- Name: regression_event regression_event_regression_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.regression_event
    ADD CONSTRAINT regression_event_regression_id_fkey FOREIGN KEY (regression_id) REFERENCES public.regression(regression_id) ON DELETE CASCADE;


--
-- Name: regression_metric regression_metric_regression_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.regression_metric
    ADD CONSTRAINT regression_metric_regression_id_fkey FOREIGN KEY (regression_id) REFERENCES public.regression(regression_id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


