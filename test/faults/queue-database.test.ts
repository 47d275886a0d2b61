import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BoundRun } from '../../src/app/bound-run.ts';
import { workOnRun } from '../../src/app/queue-work.ts';
import { SYSTEM_CLOCK } from '../../src/llm/clock.ts';
import { openQueueDatabase } from '../../src/queue/database.ts';
import type { QueuedRun } from '../../src/queue/definition.ts';
import { encodeSession } from '../../src/queue/session-content.ts';
import { type SessionLease, SessionQueue } from '../../src/queue/session-queue.ts';
import { sharedLimiter } from '../../src/queue/shared-limiter.ts';
import { exampleOutcomes } from '../support/example-outcomes.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { recordedRun } from '../support/recorded-runs.ts';

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
});

const signal = new AbortController().signal;
const warn = (sentence: string) => expect.unreachable(sentence);

const { manifest } = recordedRun([]);
const RUN: QueuedRun = {
  plan: { ...manifest.plan, boundaryKey: null },
  configuration: {},
  configurationHash: 'hash',
  origin: { project: '/project', inputs: ['traces'], cwd: '/project', git: null },
};
const { id: ID } = RUN.plan;

/** Workers of a database of their own. @param leaseMs long enough by default that none is lost */
async function openQueues(count: number, leaseMs = 600_000) {
  const url = await postgres.createDatabase();
  const databases = await Promise.all(Array.from({ length: count }, () => openQueueDatabase(url, { signal, warn })));
  const [queue, ...others] = databases.map((database) => new SessionQueue(database, leaseMs));
  if (!queue) throw new Error('There is no queue.');
  return {
    url,
    queue,
    others,
    async [Symbol.asyncDispose]() {
      await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
    },
  };
}

async function addSessions(queue: SessionQueue, contents: Readonly<Record<string, string>>) {
  await queue.openRun('identity', RUN);
  const round = await queue.beginRound(ID);
  const rows = Object.entries(contents).map(([id, content], position) => ({ id, position, hash: content, content }));
  await queue.add(ID, round, rows);
  await queue.endRound(ID, round, []);
}

async function leaseOf(queue: SessionQueue): Promise<SessionLease> {
  const lease = await queue.lease(ID);
  return lease ?? expect.unreachable('a session waits');
}

async function resultsOf(queue: SessionQueue) {
  const results: (string | null)[][] = [];
  for await (const { session, outcome, reason } of queue.results(ID)) results.push([session, outcome ?? reason]);
  return results;
}

describe('the queue', () => {
  it('creates its tables once for several workers at once, and gives all of them one key', async () => {
    await using queues = await openQueues(5);
    const keys = [queues.queue, ...queues.others].map(({ database }) =>
      Buffer.from(database.boundaryKey).toString('hex'),
    );
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('refuses tables of another version', async () => {
    await using queues = await openQueues(1);
    const client = new Client({ connectionString: queues.url });
    await client.connect();
    await client.query('UPDATE turnwise.setting SET version = 99');
    await client.end();
    await expect(openQueueDatabase(queues.url, { signal, warn })).rejects.toThrow(
      /a newer version of Turnwise \(tables of version 99, and this needs 1\)\. Update Turnwise here\.$/,
    );
  });

  it('leases each session to one worker, however many ask at once', async () => {
    await using queues = await openQueues(4);
    await addSessions(queues.queue, Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`s${at}`, 'text'])));
    const all = [queues.queue, ...queues.others];
    const leases = await Promise.all(Array.from({ length: 60 }, (_, at) => all[at % all.length]?.lease(ID)));
    const leased = leases.flatMap((lease) => lease?.session ?? []);
    expect(leased.length).toBe(40);
    expect(new Set(leased).size).toBe(40);
  });

  it('counts one outcome of a session that two workers evaluated', async () => {
    await using queues = await openQueues(2, 0);
    const { queue, others } = queues;
    await addSessions(queue, { a: 'text' });
    const slow = await leaseOf(queue);
    // Its lease is over at once.
    await queue.progress(ID);
    const [other = queue] = others;
    const second = await leaseOf(other);
    expect(second).toMatchObject({ session: 'a', attempt: 2, isSuspect: true });
    await queue.complete(slow, 'slow');
    expect(await resultsOf(queue)).toEqual([['a', null]]);
    await other.complete(second, 'second');
    await queue.complete(slow, 'slow');
    expect(await resultsOf(queue)).toEqual([['a', 'second']]);
  });

  it('takes the outcome of a worker that was only slow', async () => {
    await using queues = await openQueues(1, 0);
    const { queue } = queues;
    await addSessions(queue, { a: 'text' });
    const lease = await leaseOf(queue);
    expect(await queue.progress(ID)).toMatchObject({ waiting: 1 });
    await queue.complete(lease, 'late');
    expect(await queue.progress(ID)).toMatchObject({ waiting: 0, done: 1 });
  });

  it('parks a session after three tries with its reason; one that a worker gives back is no try', async () => {
    await using queues = await openQueues(1);
    const { queue } = queues;
    await addSessions(queue, { a: 'text' });
    for (let time = 0; time < 5; time += 1) await queue.release(await leaseOf(queue));
    const client = new Client({ connectionString: queues.url });
    await client.connect();
    for (const reason of ['first', 'second', 'third']) {
      await client.query('UPDATE turnwise.session SET not_before = now()');
      await queue.fail(await leaseOf(queue), reason);
    }
    await client.end();
    expect(await queue.lease(ID)).toBeNull();
    expect(await queue.parked(ID)).toEqual([{ session: 'a', reason: 'third' }]);
  });

  it('keeps outcomes of sessions that are queued again, unless their content changed', async () => {
    await using queues = await openQueues(1);
    const { queue } = queues;
    await addSessions(queue, { a: 'one', b: 'two', c: 'three' });
    for (let lease = await queue.lease(ID); lease; lease = await queue.lease(ID))
      await queue.complete(lease, lease.content);
    await addSessions(queue, { c: 'three', b: 'changed', d: 'new' });
    expect(await resultsOf(queue)).toEqual([
      ['c', 'three'],
      ['b', null],
      ['d', null],
    ]);
  });
});

describe('a run of the queue', () => {
  const OUTCOME = { verdict: 'passed', sessions: 1, parked: 0, errors: 0 } as const;

  it('needs workers again where its report is made and its sessions change', async () => {
    await using queues = await openQueues(1);
    const { queue } = queues;
    await addSessions(queue, { a: 'one' });
    await queue.complete(await leaseOf(queue), 'outcome');
    expect(await queue.claimReport(ID)).toBe(true);
    await queue.storeReport(ID, OUTCOME, new Uint8Array([1]));
    expect([await queue.nextRun([]), await queue.hasOpenRuns([])]).toEqual([null, false]);
    await addSessions(queue, { a: 'changed' });
    expect([await queue.nextRun([]), await queue.hasOpenRuns([])]).toEqual([RUN, true]);
    expect(await queue.record(ID)).toBeNull();
    await queue.complete(await leaseOf(queue), 'outcome');
    expect(await queue.claimReport(ID)).toBe(true);
  });

  it('cannot be waited for once its command has everything', async () => {
    await using queues = await openQueues(2);
    const [{ queue }, [other]] = [queues, queues.others];
    await addSessions(queue, { a: 'one' });
    expect(await queue.claimRun(ID)).toBe(true);
    expect(await other?.claimRun(ID)).toBe(false);
    await queue.collect(ID, OUTCOME);
    expect(await other?.claimRun(ID)).toBe(false);
  });

  it('has sessions with any id, and reasons with any text', async () => {
    await using queues = await openQueues(1);
    const { queue } = queues;
    const ids = ['a\u0000b', '\ud800', '\ud801', '"', '\\', 'ü'];
    await addSessions(queue, Object.fromEntries(ids.map((id) => [id, 'text'])));
    expect((await resultsOf(queue)).map(([id]) => id)).toEqual(ids);
    for (const id of ids) {
      const lease = await leaseOf(queue);
      expect(lease.session).toBe(id);
      if (id === 'ü') await queue.fail(lease, 'It said \u0000.');
      else await queue.complete(lease, 'outcome');
    }
    expect((await resultsOf(queue)).at(-1)?.[1]).toMatch(/^It said .*\.$/);
    expect(await queue.progress(ID)).toMatchObject({ sessions: 6, done: 5, waiting: 1 });
  });

  it('names the workers that evaluate it', async () => {
    await using queues = await openQueues(2);
    const [{ queue }, [other]] = [queues, queues.others];
    await addSessions(queue, { a: 'one' });
    await queue.heartbeat('busy:1', null);
    await other?.heartbeat('idle:2', null);
    await leaseOf(queue);
    expect(await queue.workers(ID)).toEqual(['busy:1']);
  });
});

describe('limits of a judge', () => {
  /** Notes how long a call would wait, and waits no longer. */
  function limiterOf(queue: SessionQueue, limits: Parameters<typeof sharedLimiter>[2], judge = 'judge') {
    const waits: number[] = [];
    const stopped = new Error('It has to wait.');
    const clock = {
      ...SYSTEM_CLOCK,
      async wait(ms: number) {
        waits.push(ms);
        throw stopped;
      },
    };
    return { ...sharedLimiter(queue, judge, limits, clock), waits, stopped };
  }

  it('shares requests in progress between workers, and frees those of workers that end', async () => {
    await using queues = await openQueues(2);
    const { queue, others } = queues;
    const [first, second] = [queue, others[0] ?? queue].map((one) => limiterOf(one, { concurrency: 2 }));
    if (!first || !second) return expect.unreachable('there are two');
    await first.acquire(signal);
    await second.acquire(signal);
    await expect(first.acquire(signal)).rejects.toBe(first.stopped);
    await limiterOf(queue, { concurrency: 2 }, 'another judge').acquire(signal);
    await others[0]?.leave(null);
    await first.acquire(signal);
    await expect(second.acquire(signal)).rejects.toBe(second.stopped);
  });

  it('shares requests and tokens of a minute between workers', async () => {
    await using queues = await openQueues(2);
    const { queue, others } = queues;
    const limits = { concurrency: 9, requestsPerMinute: 3, tokensPerMinute: 1000 };
    const [first, second] = [queue, others[0] ?? queue].map((one) => limiterOf(one, limits));
    if (!first || !second) return expect.unreachable('there are two');
    await first.reserve(400, signal);
    const correct = await second.reserve(500, signal);
    await expect(first.reserve(400, signal)).rejects.toBe(first.stopped);
    // Until the first request is a minute old.
    expect(first.waits[0]).toBeGreaterThan(30_000);
    expect(first.waits[0]).toBeLessThanOrEqual(60_000);
    correct(100);
    await expect
      .poll(() =>
        first.reserve(400, signal).then(
          () => 'sent',
          () => 'waits',
        ),
      )
      .toBe('sent');
    await expect(second.reserve(1, signal)).rejects.toBe(second.stopped);
  });

  it('sends a request alone that has more tokens than a minute allows', async () => {
    await using queues = await openQueues(1);
    const limiter = limiterOf(queues.queue, { concurrency: 9, tokensPerMinute: 100 });
    await limiter.reserve(5000, signal);
    await expect(limiter.reserve(1, signal)).rejects.toBe(limiter.stopped);
  });
});

describe('a worker whose judge does not answer', async () => {
  const outcomes = await exampleOutcomes(1);
  const missing = [{ code: 'judge-unanswered' as const, metric: 'relevance', reason: 'No answer.', count: 1 }];
  const session = { id: 'a', source: { file: 'a.json', format: 'openai-chat', pointer: '' }, turns: [] };
  const content = encodeSession({ session, ranges: new Map() });

  function unanswered(
    plan: QueuedRun['plan'],
    isExhausted: () => boolean,
  ): BoundRun & { readonly evaluated: string[] } {
    const evaluated: string[] = [];
    return {
      plan,
      judges: { defaultJudge: null, byMetric: new Map() },
      metrics: [],
      sessionsAtOnce: 1,
      get isExhausted() {
        return isExhausted();
      },
      problems: [],
      evaluated,
      async evaluate(queued) {
        evaluated.push(queued.session.id);
        const [outcome] = outcomes;
        return outcome ? { outcome: { ...outcome, id: queued.session.id, missing }, versions: {} } : null;
      },
      usageBeside: () => [],
      [Symbol.dispose]() {},
    };
  }

  it('leaves the run to others, and its sessions as they were', async () => {
    await using queues = await openQueues(1);
    const { queue } = queues;
    await addSessions(queue, { a: content, b: content });
    const run = unanswered(RUN.plan, () => run.evaluated.length > 0);
    await workOnRun(queue, ID, run, { signal, leavesOnOutage: true });
    expect(run.evaluated.length).toBe(1);
    expect(await leaseOf(queue)).toMatchObject({ attempt: 1 });
  });

  it('tries three times where no other can do it, and then keeps what it has', { timeout: 30_000 }, async () => {
    await using queues = await openQueues(1);
    const { queue } = queues;
    await addSessions(queue, { a: content });
    const run = unanswered(RUN.plan, () => true);
    while ((await queue.progress(ID)).done === 0) await workOnRun(queue, ID, run, { signal, leavesOnOutage: false });
    expect(run.evaluated.length).toBe(3);
    expect(await queue.parked(ID)).toEqual([]);
  });
});
