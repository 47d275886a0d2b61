import type { Report } from '../core/report.ts';
import type { RunManifest } from '../core/run-record.ts';
import { verdictOf } from '../core/verdict.ts';
import { undecidedGates } from '../engine/undecided.ts';

/**
 * The report of a part of a run, which it names, with the verdict of its own sessions: gates of tasks and of the run are decided when all parts are
 * together.
 *
 * @param shard as the record has it
 * @param mayBeEmpty whether other parts have sessions, so that it says nothing if this one has none.
 */
export function gateShard(report: Report, shard: RunManifest['shard'], mayBeEmpty: boolean): Report {
  const gates = report.gates.filter(({ scope }) => scope === 'session');
  const open = report.undecided.filter(({ code }) => code !== 'gate' && !(mayBeEmpty && code === 'no-session'));
  const undecided = [...open, ...undecidedGates(gates)];
  return {
    ...report,
    run: { ...report.run, ...(shard && { shard }) },
    gates,
    undecided,
    verdict: verdictOf([...gates.map(({ met }) => met), ...undecided.map(() => null)]),
  };
}
