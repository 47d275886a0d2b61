import type { TurnReport } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { SessionModel } from './session-model.ts';

/** The turns whose results or findings differ, zero-based; null where turns were added or removed. */
export function changedTurns(before: SessionModel, now: SessionModel): number[] | null {
  if (before.turnCount !== now.turnCount) return null;
  const [foundBefore, foundNow] = [before.findingsByTurn(), now.findingsByTurn()];
  const kinds = ['failures', 'observations', 'suppressed'] as const;
  const changed: number[] = [];
  for (let turn = 0; turn < now.turnCount; turn += 1) {
    const isSame =
      isSameReport(before.turn(turn), now.turn(turn)) &&
      kinds.every((kind) => areSameFindings(foundBefore[kind].get(turn), foundNow[kind].get(turn)));
    if (!isSame) changed.push(turn);
  }
  return changed;
}

function isSameReport(before: TurnReport | undefined, now: TurnReport | undefined): boolean {
  if (before === now) return true;
  if (!before || !now || before.pointer !== now.pointer || before.line !== now.line) return false;
  const names = Object.keys(now.metrics);
  return (
    names.length === Object.keys(before.metrics).length &&
    names.every((name) => isSameResult(before.metrics[name], now.metrics[name]))
  );
}

function isSameResult(before: Result | undefined, now: Result | undefined): boolean {
  if (before === now) return true;
  if (!before || !now) return false;
  return (
    COMPARED_FIELDS.every((fact) => Object.is(before[fact], now[fact])) &&
    before.evidence.length === now.evidence.length
  );
}

/** Fields that can be compared directly. */
const COMPARED_FIELDS = [
  'status',
  'score',
  'label',
  'reason',
  'threshold',
  'passed',
  'judge',
] as const satisfies (keyof Result)[];

interface ComparableFinding {
  readonly reason: string;
  readonly label?: string;
  readonly severity?: string;
}

function areSameFindings(before: readonly ComparableFinding[] = [], now: readonly ComparableFinding[] = []): boolean {
  if (before.length !== now.length) return false;
  return now.every((finding, at) => {
    const other = before[at];
    return finding.reason === other?.reason && finding.label === other.label && finding.severity === other.severity;
  });
}
