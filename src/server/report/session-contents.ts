import { LruCache } from '../../core/cache/lru-cache.ts';
import type { Feedback } from '../../core/session.ts';
import { feedbackKey } from '../../panel/feedback.ts';
import type { FeedbackTarget } from '../../protocol/panel.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { toAbortSignal } from '../abort-signal.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import type { AnswerContent } from './content-answers.ts';
import type { ContentAnswer, ContentParams, ContentRequest } from './content-requests.ts';

/** Sessions whose recent feedback is remembered. */
const MAX_SESSIONS = 200;

interface SessionContentsOptions {
  readonly results: Pick<EvaluationResults, 'versionsOf'>;
  readonly isTrusted: () => boolean;
  readonly answer: AnswerContent;
}

/** Asks about the content of sessions, which is read where it keeps nothing waiting. */
export class SessionContents {
  readonly #options: SessionContentsOptions;
  /** Feedback that was written into sidecars since, by session and the versions of its files. */
  readonly #feedback = new LruCache<string, Map<string, Feedback | null>>(MAX_SESSIONS);

  constructor(options: SessionContentsOptions) {
    this.#options = options;
  }

  async ask<Name extends ContentRequest>(
    name: Name,
    view: SessionResultsView,
    params: ContentParams<Name>,
    token: CancellationToken,
  ): Promise<ContentAnswer<Name>> {
    const { isTrusted, answer } = this.#options;
    const { row, file, files, detail } = view;
    const hashes = this.#hashes(view);
    const recentFeedback = this.#feedback.get(feedbackOwner(view, hashes)) ?? new Map();
    using stop = toAbortSignal(token);
    const query = { name, params, view: { row, file, files, detail }, hashes, recentFeedback, isTrusted: isTrusted() };
    return await answer(query, stop.signal);
  }

  /** Feedback was written: it is shown before the trace is read again. @param feedback null where it was taken back. */
  rememberFeedback(view: SessionResultsView, turn: number | null, of: FeedbackTarget, feedback: Feedback | null): void {
    const owner = feedbackOwner(view, this.#hashes(view));
    const known = this.#feedback.get(owner) ?? new Map();
    this.#feedback.set(owner, known.set(feedbackKey(turn, of), feedback));
  }

  #hashes(view: SessionResultsView): ReadonlyMap<string, string> {
    const versions = this.#options.results.versionsOf(view);
    return new Map(
      Array.from(versions.values()).flatMap(({ path, stamp }) => (stamp ? [[path, stamp.hash] as const] : [])),
    );
  }

  clear(): void {
    this.#feedback.clear();
  }
}

function feedbackOwner({ row }: SessionResultsView, hashes: ReadonlyMap<string, string>): string {
  return JSON.stringify([row.key, ...hashes.values()]);
}
