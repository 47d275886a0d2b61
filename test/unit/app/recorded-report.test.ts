import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadRun } from '../../../src/app/load-run.ts';
import { reduceParts } from '../../../src/app/recorded-report.ts';
import type { Report } from '../../../src/core/report.ts';
import type { Turn } from '../../../src/core/session.ts';
import type { SessionOutcome } from '../../../src/core/session-outcome.ts';
import { evaluateOutcomes } from '../../../src/engine/evaluate.ts';
import { NO_JUDGES } from '../../../src/engine/judges.ts';
import { type LocationLookup, withLocations } from '../../../src/engine/locations.ts';
import { createRunPlan } from '../../../src/engine/plan.ts';
import { reduceOutcomes } from '../../../src/engine/reduce.ts';
import { allMetrics } from '../../../src/metrics/custom/metric-table.ts';
import { SessionLineDecoder, SessionLineEncoder } from '../../../src/runs/record/session-lines.ts';
import { inProcessRunner } from '../../../src/sandbox/in-process-runner.ts';
import { OutcomeFile } from '../../../src/store/outcome-file.ts';
import '../../support/properties.ts';
import { TASK_PATTERN, taskAttempts } from '../../support/task-attempts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { configuration } from '../engine/support.ts';

const signal = new AbortController().signal;

const SETTINGS = configuration({
  tasks: { by: { file: TASK_PATTERN } },
  custom: [
    {
      name: 'short_answer',
      scale: 'unit',
      threshold: 0.5,
      evaluate: (turn: Turn) => ({ score: (turn.output?.length ?? 0) < 40 ? 1 : 0 }),
    },
  ],
  gates: { failOn: 'medium', attempts: { k: 2, passAtK: 0.9 } },
});
const METRICS = allMetrics(SETTINGS.custom, inProcessRunner());
const PLAN = createRunPlan({
  configuration: SETTINGS,
  metrics: METRICS,
  judges: NO_JUDGES,
  embedder: null,
  version: '1.2.3',
});

const OPTIONS = { metrics: METRICS, judges: NO_JUDGES, embedder: null, signal };
const totalsOf = (sessions: number) => ({ sessions, unfinishedFile: null, complete: true, durationMs: 0 });

/** As the record of a part has them. */
function recorded(outcomes: readonly SessionOutcome[], locate: LocationLookup): SessionOutcome[] {
  const encoder = new SessionLineEncoder();
  const decoder = new SessionLineDecoder();
  const lines = withLocations(outcomes, locate, true).map((outcome, index) => encoder.encode(outcome, index));
  return lines
    .join('')
    .trimEnd()
    .split('\n')
    .flatMap((line) => decoder.decode(line) ?? []);
}

async function load() {
  const folder = await temporaryFolder(taskAttempts());
  const { sessions, locator } = await loadRun([join(folder.path, 'runs')], SETTINGS, { signal });
  const locate: LocationLookup = (file, pointers) => locator.locate(file, pointers);
  const { outcomes } = await evaluateOutcomes(PLAN, { ...OPTIONS, sessions, locate });
  const report = await reduceOutcomes(PLAN, outcomes, {
    totals: totalsOf(sessions.length),
    metrics: METRICS,
    judge: null,
    locate,
    usageBeside: () => [],
    problems: [],
  });
  return { outcomes, locate, report, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

it('makes the same report of attempts that are spread over parts, in whatever order they finish', async () => {
  await using run = await load();
  const { outcomes, locate, report } = run;
  const expected = JSON.stringify(report, null, 1);
  const outlier = report.observations.find(({ rule }) => rule === 'outlier-attempt');
  expect(outlier?.evidence.map(({ line }) => line)).toEqual([expect.any(Number), expect.any(Number)]);
  expect(report.scenarios.length).toBeGreaterThan(3);
  expect(report.metrics).toHaveProperty('short_answer');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: outcomes.length, maxLength: outcomes.length }),
      fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
      async (partOf, finished) => {
        const parts = new Map<number, SessionOutcome[]>();
        for (const part of finished) {
          const own = outcomes.filter((_, at) => partOf[at] === part);
          parts.set(part, recorded(own, locate));
        }
        const inOrder = outcomes.flatMap((_, at) => parts.get(partOf[at] ?? 0)?.shift() ?? []);
        using storage = new OutcomeFile(3);
        const merged: Report = await reduceParts(
          { plan: PLAN, outcomes: inOrder, totals: totalsOf(inOrder.length), problems: [] },
          { storage },
        );
        expect(JSON.stringify(merged, null, 1)).toBe(expected);
      },
    ),
    { numRuns: 20 },
  );
});
