/** Raised with every change of the tables. */
export const QUEUE_VERSION = 1;

/**
 * The tables of the queue, in a schema of their own. All times are those of the database.
 *
 * A session is `waiting`, `leased` by one worker until a time that its heartbeats move, `done` with its outcome, or `parked`
 * because three tries gave none.
 */
export const QUEUE_TABLES = `
  CREATE SCHEMA IF NOT EXISTS turnwise;
  CREATE TABLE turnwise.setting (version int NOT NULL, boundary_key text NOT NULL);
  CREATE TABLE turnwise.run (
    id text PRIMARY KEY,
    -- The same for the same command: what is killed is continued and not queued again.
    identity text NOT NULL,
    definition text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The last time that its sessions were queued; sessions of an earlier one are gone from the input.
    round int NOT NULL DEFAULT 0,
    -- When all sessions were in.
    queued_at timestamptz,
    -- As long as the command that queued it waits for it, that makes the report.
    owner uuid,
    owner_until timestamptz,
    reporter_until timestamptz,
    -- When a worker made the report, because nobody waited.
    reported_at timestamptz,
    record bytea,
    -- When the command had everything.
    collected_at timestamptz,
    -- What was wrong with the files of its sessions.
    problems text NOT NULL DEFAULT '[]',
    verdict text,
    sessions int,
    parked int,
    errors int
  );
  CREATE UNIQUE INDEX run_identity ON turnwise.run (identity) WHERE collected_at IS NULL;
  CREATE TABLE turnwise.session (
    run text NOT NULL REFERENCES turnwise.run ON DELETE CASCADE,
    id text NOT NULL,
    position int NOT NULL,
    round int NOT NULL,
    hash text NOT NULL,
    content text NOT NULL,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'leased', 'done', 'parked')),
    tries int NOT NULL DEFAULT 0,
    -- How often the worker that had it ended: it may be the cause, or one of several sessions that the worker had.
    lost int NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    lease uuid,
    worker uuid,
    leased_until timestamptz,
    -- Why the last try gave no outcome.
    reason text,
    outcome text,
    PRIMARY KEY (run, id)
  );
  CREATE INDEX session_position ON turnwise.session (run, position);
  CREATE INDEX session_waiting ON turnwise.session (run, lost, position) WHERE state = 'waiting';
  CREATE INDEX session_leased ON turnwise.session (run, leased_until) WHERE state = 'leased';
  CREATE INDEX session_worker ON turnwise.session (worker) WHERE state = 'leased';
  CREATE TABLE turnwise.worker (id uuid PRIMARY KEY, name text NOT NULL, until timestamptz NOT NULL);
  CREATE TABLE turnwise.answer (
    key text PRIMARY KEY,
    answer text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  -- Requests in progress, and those of the last minute, by the judge that they are sent to.
  CREATE TABLE turnwise.judge_slot (id uuid PRIMARY KEY, judge text NOT NULL, worker uuid NOT NULL, until timestamptz NOT NULL);
  CREATE INDEX judge_slot_judge ON turnwise.judge_slot (judge);
  CREATE TABLE turnwise.judge_request (
    id uuid PRIMARY KEY,
    judge text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    tokens bigint NOT NULL
  );
  CREATE INDEX judge_request_judge ON turnwise.judge_request (judge, at);

  -- Whether there is room for one more request in progress, which then has this id.
  CREATE FUNCTION turnwise.take_slot(own uuid, for_judge text, by_worker uuid, expiry interval, most int) RETURNS boolean
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(for_judge, 1));
    DELETE FROM turnwise.judge_slot WHERE judge = for_judge AND until < now();
    IF (SELECT count(*) FROM turnwise.judge_slot WHERE judge = for_judge AND id <> own) >= most THEN RETURN false; END IF;
    INSERT INTO turnwise.judge_slot VALUES (own, for_judge, by_worker, now() + expiry)
      ON CONFLICT (id) DO UPDATE SET until = excluded.until;
    RETURN true;
  END $$;

  -- Counts a request if it is within the limits of the last minute, where null is none; one of more tokens than that is sent
  -- alone. Returns 0, or after how many milliseconds to ask again.
  CREATE FUNCTION turnwise.take_request(own uuid, for_judge text, own_tokens bigint, most int, most_tokens bigint) RETURNS float8
  LANGUAGE plpgsql AS $$
  DECLARE
    requests bigint;
    used bigint;
    oldest timestamptz;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(for_judge, 2));
    DELETE FROM turnwise.judge_request WHERE judge = for_judge AND at <= clock_timestamp() - interval '1 minute';
    SELECT count(*), coalesce(sum(tokens), 0), min(at) INTO requests, used, oldest
      FROM turnwise.judge_request WHERE judge = for_judge AND id <> own;
    IF requests > 0 AND (requests + 1 > coalesce(most, requests + 1) OR used + own_tokens > coalesce(most_tokens, used + own_tokens))
    THEN
      RETURN greatest(10, extract(epoch FROM oldest + interval '1 minute' - clock_timestamp()) * 1000);
    END IF;
    INSERT INTO turnwise.judge_request VALUES (own, for_judge, clock_timestamp(), own_tokens)
      ON CONFLICT (id) DO UPDATE SET tokens = excluded.tokens;
    RETURN 0;
  END $$`;
