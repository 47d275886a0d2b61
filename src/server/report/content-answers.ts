import { memoizeWeak } from '../../core/cache/memoize.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { createSessionModel } from '../../panel/panel-session.ts';
import type { RecentFeedback } from '../../panel/transcript.ts';
import { SessionCache } from '../results/session-cache.ts';
import type { ContentView } from '../results/session-results-view.ts';
import {
  CONTENT_REQUESTS,
  type ContentAnswer,
  type ContentParams,
  type ContentRequest,
  type SessionContent,
} from './content-requests.ts';

/** A request about the content of a session. All of it is plain data. */
export interface ContentQuery<Name extends ContentRequest = ContentRequest> {
  readonly name: Name;
  readonly params: ContentParams<Name>;
  readonly view: ContentView;
  /** Of its files when it was evaluated, by path. */
  readonly hashes: ReadonlyMap<string, string>;
  readonly recentFeedback: RecentFeedback;
  /** Whether code of the folder's configuration may run. */
  readonly isTrusted: boolean;
}

/** Answers requests about the content of sessions, wherever their files are read. */
export type AnswerContent = <Name extends ContentRequest>(
  query: ContentQuery<Name>,
  signal: AbortSignal,
) => Promise<ContentAnswer<Name>>;

/** Reads the content of sessions in this thread. */
export class ContentAnswers {
  readonly #sessions: SessionCache;
  readonly #model = memoizeWeak(createSessionModel);

  constructor(files: FileSystem) {
    this.#sessions = new SessionCache(files);
  }

  readonly answer: AnswerContent = async ({ name, params, ...query }, signal) => {
    const { view, recentFeedback, isTrusted } = query;
    const session = await this.#sessions.get(view, query);
    const transcript = session && this.#sessions.transcript(session);
    if (transcript) transcript.recentFeedback = recentFeedback;
    const request = CONTENT_REQUESTS[name] as (
      content: SessionContent,
      params: unknown,
      signal: AbortSignal,
    ) => Promise<ContentAnswer<typeof name>>;
    return request({ view, model: this.#model(view), transcript, isTrusted }, params, signal);
  };

  clear(): void {
    this.#sessions.clear();
  }
}
