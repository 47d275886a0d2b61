import type { SessionReport } from '../../core/report.ts';
import type { Session } from '../../core/session.ts';
import { sessionFiles } from '../../core/session-files.ts';
import { sessionTitle } from '../../report-model/session-title.ts';
import { type TraceFacts, traceFacts } from '../../report-model/trace-facts.ts';
import type { ToolNameTest } from '../../rules/shared/tool-effect.ts';

/** What results need to know of a session besides its report: plain data, without its transcript. */
export interface LoadedSession extends Pick<SessionReport, 'id' | 'source' | 'task'> {
  readonly title: string;
  readonly files: readonly string[];
  readonly facts: TraceFacts;
  readonly turns: number;
}

export function summarizeSession(session: Session, changesState?: ToolNameTest): LoadedSession {
  const { id, source, turns } = session;
  const task = session.task
    ? {
        id: session.task.id,
        trial: session.task.trial ?? null,
        dataset: session.task.dataset ?? null,
        agent: session.task.agent ?? null,
      }
    : null;
  return {
    id,
    source,
    task,
    title: sessionTitle({ id, task }, turns),
    files: [...sessionFiles(session)],
    facts: traceFacts(session, changesState),
    turns: turns.length,
  };
}
