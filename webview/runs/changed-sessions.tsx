import * as l10n from '@vscode/l10n';
import type { Flip, RunComparison } from '../../src/core/run-comparison.ts';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { HEADLINE_STYLES } from '../format.ts';
import { TraceText } from '../overview/trace-text.tsx';
import { RunColumns } from './run-columns.tsx';

/** Sessions that are listed. */
const MAX_SESSIONS = 200;

type ChangedSessionsProps = Readonly<{
  comparison: RunComparison;
  /** @param run the position of the run of the second session; the first is of the first run. */
  onOpen: (first: Flip['before'], other: Flip['before'], run: number) => void;
}>;

/** Sessions whose verdict or outcome differs in more than two runs, those that fail in most runs first. */
export function ChangedSessions({ comparison: { changedSessions, runs }, onOpen }: ChangedSessionsProps) {
  const more = changedSessions.length - MAX_SESSIONS;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="wide-table" tabIndex={0} aria-label={l10n.t('Changed sessions')}>
        <table>
          <RunColumns rows={l10n.t('Session')} runs={runs} />
          <tbody>
            {changedSessions.slice(0, MAX_SESSIONS).map(({ task, sessions }, row) => {
              const known = sessions.find((session) => session !== null);
              const [first = null] = sessions;
              const trial = known?.trial ?? null;
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: attempts of a task have no other identity in all runs
                <tr key={row}>
                  <th scope="row">
                    <TraceText text={task ?? known?.id ?? ''} />
                    {trial === null ? null : (
                      <span className="quiet lower">
                        <TraceText text={l10n.t('attempt {0}', trial)} />
                      </span>
                    )}
                  </th>
                  {sessions.map((session, run) => (
                    <td key={runs[run]?.id}>
                      {session === null ? (
                        <span className="quiet">{l10n.t('no such attempt')}</span>
                      ) : (
                        <span className="item">
                          <ShapeIcon {...HEADLINE_STYLES[session.headline.kind]} />
                          {run > 0 && first !== null ? (
                            <button
                              type="button"
                              className="more"
                              title={l10n.t('Compare transcripts with the first run')}
                              onClick={() => onOpen(first, session, run)}
                            >
                              <TraceText text={session.headline.text} />
                            </button>
                          ) : (
                            <TraceText text={session.headline.text} />
                          )}
                        </span>
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {more > 0 ? <p className="quiet">{l10n.t('and {0} more', more.toLocaleString('en'))}</p> : null}
    </>
  );
}
