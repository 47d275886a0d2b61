import { resolve } from 'node:path';
import { lazy } from '../core/cache/memoize.ts';
import type { Feedback, Session } from '../core/session.ts';
import { CallHistory } from '../report-model/transcript/call-history.ts';
import { SearchIndex } from '../report-model/transcript/search-index.ts';
import { Timeline } from '../report-model/transcript/timeline.ts';
import { TranscriptIndex } from '../report-model/transcript/transcript-index.ts';

/** Feedback that was written since a session was read, by its target; null: taken back. */
export type RecentFeedback = ReadonlyMap<string, Feedback | null>;

/** A session as it was read from its files, with the indexes of its texts; each is made when it is first needed. */
export class Transcript {
  readonly session: Session;
  readonly locations = lazy(() => new TranscriptIndex(this.session, resolve));
  readonly search = lazy(() => SearchIndex.of(this.session));
  readonly calls = lazy(() => new CallHistory(this.session));
  readonly timeline = lazy(() => new Timeline(this.session));
  recentFeedback: RecentFeedback = new Map();

  constructor(session: Session) {
    this.session = session;
  }
}
