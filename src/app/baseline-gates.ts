import type { BaselineGate, BaselineResult } from '../core/baseline.ts';
import type { Gate, Report } from '../core/report.ts';
import type { RecordedRun } from '../core/run-record.ts';
import { verdictOf } from '../core/verdict.ts';
import { undecidedGates } from '../engine/undecided.ts';
import { gateRun } from '../runs/baseline/gate-run.ts';
import { sessionsByTask } from '../runs/baseline/run-figures.ts';
import type { ReadBaseline } from './baseline-file.ts';

/**
 * Gates a run against a baseline. Sessions of tasks that the baseline has do not gate alone any more: the baseline says how many
 * of them may fail. New tasks, and the thresholds of the run, gate as without a baseline.
 *
 * @param run null where it could not be recorded. @param file as messages name the baseline
 */
export function gateAgainstBaseline(
  report: Report,
  run: RecordedRun | null,
  { read, file }: { readonly read: ReadBaseline; readonly file: string },
): Report {
  if (read.baseline === null) return withBaseline(report, unusable(file, read.problem), new Set());
  if (run === null) {
    return withBaseline(report, unusable(file, 'This run could not be recorded, so nothing was compared.'), new Set());
  }
  const today = new Date().toISOString().slice(0, 10);
  const result = gateRun(read.baseline, run, { file, today });
  const added = new Set(result.added);
  const covered = Array.from(sessionsByTask(run.rows)).flatMap(([task, sessions]) =>
    added.has(task) ? [] : sessions.map(({ id }) => id),
  );
  return withBaseline(report, result, new Set(covered));
}

function unusable(file: string, problem: string): BaselineResult {
  return {
    file,
    run: null,
    accepted: null,
    answer: 'undecided',
    gates: [],
    tasks: [],
    flaky: [],
    quarantined: [],
    missing: [],
    added: [],
    undecided: [problem],
    notes: [],
  };
}

function withBaseline(report: Report, baseline: BaselineResult, covered: ReadonlySet<string>): Report {
  const gates = [
    ...report.gates.filter(({ scope, subject }) => !(scope === 'session' && subject !== null && covered.has(subject))),
    ...baseline.gates.map(toGate),
    ...baseline.undecided.map(toOpenGate),
    ...baseline.tasks.filter(({ finding }) => finding === 'regression').map(toTaskGate),
  ];
  const undecided = [...report.undecided.filter(({ code }) => code !== 'gate'), ...undecidedGates(gates)];
  return {
    ...report,
    baseline,
    gates,
    undecided,
    verdict: verdictOf([...gates.map(({ met }) => met), ...undecided.map(() => null)]),
  };
}

const MET: Readonly<Record<BaselineGate['answer'], Gate['met']>> = { worse: false, undecided: null, 'not worse': true };

function toGate({ name, answer, before, after, reason }: BaselineGate): Gate {
  return {
    scope: 'run',
    subject: null,
    metric: `baseline ${name}`,
    threshold: before?.value ?? 0,
    actual: after?.value ?? null,
    scored: after?.of ?? 0,
    of: before?.of ?? 0,
    met: MET[answer],
    reason,
  };
}

function toOpenGate(reason: string): Gate {
  return {
    scope: 'run',
    subject: null,
    metric: 'baseline',
    threshold: 0,
    actual: null,
    scored: 0,
    of: 0,
    met: null,
    reason,
  };
}

function toTaskGate({ task, gate, before: [passed, of], after }: BaselineResult['tasks'][number]): Gate {
  return {
    scope: 'scenario',
    subject: task,
    metric: `baseline ${gate}`,
    threshold: passed / of,
    actual: after[0] / after[1],
    scored: after[1],
    of: after[1],
    met: false,
    reason: `${passed} of ${of} in the baseline, ${after[0]} of ${after[1]} now.`,
  };
}
