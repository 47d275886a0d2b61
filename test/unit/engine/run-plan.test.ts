import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/core/report.ts';
import { runPlanSchema } from '../../../src/core/schemas/run-plan.ts';
import { sessionOutcomeSchema } from '../../../src/core/schemas/session-outcome.ts';
import type { Session } from '../../../src/core/session.ts';
import { lexicalEmbedder } from '../../../src/embed/lexical.ts';
import { evaluateOutcomes, evaluateSessions, type Sessions } from '../../../src/engine/evaluate.ts';
import { type Judges, NO_JUDGES, usageBeside } from '../../../src/engine/judges.ts';
import { createRunPlan } from '../../../src/engine/plan.ts';
import { reduceOutcomes } from '../../../src/engine/reduce.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import { coefficientsOf } from '../../support/risk-coefficients.ts';
import { createTestJudge, NEVER, scriptedModel } from '../judge/support.ts';
import { configuration, session, turn } from './support.ts';

const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

/** A report without what differs between any two runs. */
function comparable({ run, ...report }: Report): unknown {
  const { id, startedAt, durationMs, ...rest } = run;
  return plain({ ...report, run: rest });
}

const noJudges = (): Judges => NO_JUDGES;
const scriptedJudges = (): Judges => ({ defaultJudge: createTestJudge(scriptedModel()), byMetric: new Map() });

describe('a run plan and the outcomes of its sessions', () => {
  const FILES = ['samples', 'test/fixtures/v0.1.0/traces', 'test/fixtures/formats/agentest-results.json'];
  const ofTasks = [{ task: '*', thresholds: { turn_risk: 0.9, strategy_consistency: 1 }, failOn: 'low' as const }];
  const settings = configuration({
    gates: { thresholds: { turn_risk: 0.5 }, for: ofTasks },
    metrics: { tool_call_count: {} },
  });

  it.each([
    ['by rules only', FILES, noJudges],
    ['with a judge', ['samples'], scriptedJudges],
  ])('give the same report after both went through JSON, %s', async (_, files, judgesOf) => {
    const { sessions, problems, locator } = await load(files, nodeFileSystem, { signal: NEVER });
    expect(sessions.length).toBeGreaterThan(2);
    const bindings = (judges: Judges) => ({
      sessions,
      metrics: METRICS,
      judges,
      embedder: lexicalEmbedder(),
      locate: locator.locate.bind(locator),
      problems,
      summary: () => ({ problems }),
      signal: NEVER,
      version: '1',
      configuration: settings,
    });
    const direct = await evaluateSessions(bindings(judgesOf()));

    const judges = judgesOf();
    const options = bindings(judges);
    const plan = runPlanSchema.parse(plain(createRunPlan(options)));
    const { outcomes, totals } = await evaluateOutcomes(plan, options);
    const report = await reduceOutcomes(
      plan,
      outcomes.map((outcome) => sessionOutcomeSchema.parse(plain(outcome))),
      { ...options, totals, judge: judges.defaultJudge, usageBeside: () => usageBeside(judges, outcomes) },
    );

    expect(comparable(report)).toEqual(comparable(direct));
    expect(outcomes.some(({ judgeUsage }) => judgeUsage.length > 0)).toBe(judges.defaultJudge !== null);
  });

  it('have no key that their schemas do not know', async () => {
    const sessions = [session('s', [turn('t')], { goal: 'g', task: { id: '1' } })];
    const options = {
      sessions,
      metrics: METRICS,
      judges: NO_JUDGES,
      embedder: null,
      locate: () => new Map(),
      signal: NEVER,
    };
    const plan = createRunPlan({ ...options, configuration: settings, version: '1', boundaryKey: 'AAAA' });
    expect(runPlanSchema.parse(plan)).toEqual(plan);
    const { outcomes } = await evaluateOutcomes(plan, options);
    for (const outcome of outcomes) expect(sessionOutcomeSchema.parse(plain(outcome))).toEqual(plain(outcome));
  });

  it('carry the weights of the project to the risk of its sessions', async () => {
    const risk = coefficientsOf({ intercept: -2 });
    const options = {
      sessions: [session('s', [turn('t'), turn('u')])],
      metrics: METRICS,
      judges: NO_JUDGES,
      embedder: null,
      locate: () => new Map(),
      signal: NEVER,
      version: '1',
    };
    const own = await evaluateSessions({ ...options, configuration: configuration({ risk }) });
    const shipped = await evaluateSessions({ ...options, configuration: configuration({}) });
    const fittedOn = (report: Report) => report.sessions[0]?.metrics.session_risk?.metadata?.fittedOn;
    expect(fittedOn(own)).toBe('sessions of the project');
    expect(fittedOn(shipped)).not.toBe('sessions of the project');
  });

  it('keep the boundary key out of the report', async () => {
    const options = {
      sessions: [session('s', [turn('t')])],
      metrics: METRICS,
      judges: NO_JUDGES,
      embedder: null,
      locate: () => new Map(),
      signal: NEVER,
      configuration: settings,
      version: '1',
      boundaryKey: 'c2VjcmV0IGtleQ==',
    };
    expect(JSON.stringify(createRunPlan(options))).toContain(options.boundaryKey);
    expect(JSON.stringify(await evaluateSessions(options))).not.toContain(options.boundaryKey);
  });

  it('name only available metrics', async () => {
    const options = { metrics: METRICS, judges: NO_JUDGES, embedder: null, configuration: settings, version: '1' };
    const plan = createRunPlan(options);
    const evaluating = evaluateOutcomes(plan, {
      ...options,
      metrics: METRICS.slice(1),
      sessions: [],
      locate: () => new Map(),
      signal: NEVER,
    });
    await expect(evaluating).rejects.toThrow(`"${METRICS[0]?.name}"`);
  });
});

describe('a stream of sessions', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');

  it('releases each session once its outcome is made', async () => {
    const seen: WeakRef<Session>[] = [];
    async function* stream() {
      for (let index = 0; index < 20; index += 1) {
        const parsed = session(`s${index}`, [turn('t', { output: 'x'.repeat(1000) })]);
        seen.push(new WeakRef(parsed));
        yield parsed;
      }
    }
    const plan = createRunPlan({
      configuration: configuration(),
      metrics: METRICS,
      judges: NO_JUDGES,
      embedder: null,
      version: '1',
    });
    const { outcomes } = await evaluateOutcomes(plan, {
      sessions: stream(),
      metrics: METRICS,
      judges: NO_JUDGES,
      embedder: null,
      locate: () => new Map(),
      signal: NEVER,
    });
    expect(outcomes).toHaveLength(20);
    await new Promise(setImmediate);
    collectGarbage();
    expect(seen.filter((reference) => reference.deref())).toHaveLength(0);
  });

  it('counts the turns that are read so far', async () => {
    const events: unknown[] = [];
    const plan = createRunPlan({
      configuration: configuration(),
      metrics: METRICS,
      judges: NO_JUDGES,
      embedder: null,
      version: '1',
    });
    const sessions = [
      { ...session('a', [turn('t1'), turn('t2')]), source: { file: 'a', format: 'turnwise', pointer: '' } },
      { ...session('b', [turn('t1')]), source: { file: 'b', format: 'turnwise', pointer: '' } },
      { ...session('c', [turn('t1')]), source: { file: 'c', format: 'turnwise', pointer: '' } },
    ];
    async function* stream() {
      yield* sessions;
    }
    const evaluated = async (all: Sessions) => {
      await evaluateOutcomes(plan, {
        sessions: all,
        metrics: METRICS,
        judges: NO_JUDGES,
        embedder: null,
        locate: () => new Map(),
        signal: NEVER,
        onEvent: (event) => {
          if (event.type === 'turn') events.push([event.done, event.of]);
          else if (event.type === 'started') events.push([event.sessions, event.turns]);
        },
      });
      return events.splice(0);
    };
    // The sessions of a file are complete when the next file begins.
    expect(await evaluated(stream())).toEqual([
      [0, 0],
      [1, 3],
      [2, 3],
      [3, 4],
      [4, 4],
    ]);
    expect(await evaluated(sessions)).toEqual([
      [3, 4],
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });
});
