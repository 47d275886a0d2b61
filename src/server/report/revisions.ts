import { LruCache } from '../../core/cache/lru-cache.ts';
import { changedTurns } from '../../report-model/session-changes.ts';
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
  readonly #known = new LruCache<string, TrackedSession>(MAX_SESSIONS);
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
    if (!known) {
      this.#last += 1;
      const first = { view, text, revision: this.#last, changes: [{ revision: this.#last, turns: null }] };
      this.#known.set(key, first);
      return first;
    }
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
