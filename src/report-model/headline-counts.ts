import type { SessionReport } from '../core/report.ts';
import { HEADLINE_KINDS } from '../core/statuses.ts';
import { pluralize } from '../core/text/pluralize.ts';

export type HeadlineKind = SessionReport['headline']['kind'];

/** How many sessions have a headline of each kind, the worst first; without kinds that no session has. */
export function countHeadlines(
  sessions: readonly Pick<SessionReport, 'headline'>[],
): readonly { readonly kind: HeadlineKind; readonly count: number }[] {
  return HEADLINE_KINDS.flatMap((kind) => {
    const count = sessions.filter(({ headline }) => headline.kind === kind).length;
    return count === 0 ? [] : [{ kind, count }];
  });
}

/** `11 sessions: 3 failed, 2 with problems, 6 succeeded`; `1 session: failed`. */
export function summarizeHeadlines(sessions: readonly Pick<SessionReport, 'headline'>[]): string {
  if (sessions.length === 0) return 'No sessions';
  const parts = countHeadlines(sessions).map(({ kind, count }) =>
    sessions.length === 1 ? KIND_TEXT[kind] : `${count} ${KIND_TEXT[kind]}`,
  );
  return `${pluralize(sessions.length, 'session')}: ${parts.join(', ')}`;
}

const KIND_TEXT: Readonly<Record<HeadlineKind, string>> = {
  failed: 'failed',
  undecided: 'undecided',
  problems: 'with problems',
  'not-run': 'not run',
  clean: 'without problems',
  succeeded: 'succeeded',
};
