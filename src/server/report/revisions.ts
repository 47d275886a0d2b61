import type { TurnReport } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';

/** Limits: sessions that are tracked at once, and changes per session. */
const MAX_SESSIONS = 16;
const MAX_CHANGES = 200;

/** A change of a session's results: in these turns, or in any. */
interface SessionChange {
  readonly revision: number;
  readonly turns: readonly number[] | null;
}

interface TrackedSession {
  view: SessionResultsView;
  /** Identifies the versions of its files. */
  text: string;
  revision: number;
  changes: SessionChange[];
}

/** Counts how often a session's results have changed since they were first requested, and in which turns. */
export class SessionRevisions {
  readonly #modelOf: (session: SessionResultsView) => SessionModel;
  readonly #known = new Map<string, TrackedSession>();
  /** Begins at the current time, so that revisions of an earlier server are not mixed up with these. */
  #last = Date.now();

  constructor(modelOf: (session: SessionResultsView) => SessionModel) {
    this.#modelOf = modelOf;
  }

  /** @param text identifies the versions of the session's files. */
  current(view: SessionResultsView, text: string): number {
    return this.#look(view, text).revision;
  }

  /** @returns the turns that have changed since a revision; null: any may have. */
  since(
    view: SessionResultsView,
    text: string,
    revision: number,
  ): { readonly revision: number; readonly turns: number[] | null } {
    const known = this.#look(view, text);
    const after = known.changes.filter((change) => change.revision > revision);
    const isKnown = revision >= (known.changes[0]?.revision ?? known.revision) && revision <= known.revision;
    if (!isKnown || after.some(({ turns }) => turns === null)) return { revision: known.revision, turns: null };
    const turns = new Set(after.flatMap((change) => change.turns ?? []));
    return { revision: known.revision, turns: [...turns].sort((a, b) => a - b) };
  }

  #look(view: SessionResultsView, text: string): TrackedSession {
    const { key } = view.row;
    const known = this.#known.get(key);
    // The most recently used is the last.
    this.#known.delete(key);
    if (!known) {
      this.#last += 1;
      const first = { view, text, revision: this.#last, changes: [{ revision: this.#last, turns: null }] };
      this.#known.set(key, first);
      const [oldest] = this.#known.keys();
      if (this.#known.size > MAX_SESSIONS && oldest !== undefined) this.#known.delete(oldest);
      return first;
    }
    this.#known.set(key, known);
    if (known.view !== view) {
      this.#last += 1;
      const turns = known.text === text ? changedTurns(this.#modelOf(known.view), this.#modelOf(view)) : null;
      known.revision = this.#last;
      known.changes = [...known.changes, { revision: this.#last, turns }].slice(-MAX_CHANGES);
      known.view = view;
      known.text = text;
    }
    return known;
  }
}

/** Null where changes cannot be told turn by turn. */
function changedTurns(before: SessionModel, now: SessionModel): number[] | null {
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
