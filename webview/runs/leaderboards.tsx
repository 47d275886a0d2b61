import * as l10n from '@vscode/l10n';
import { useMemo } from 'react';
import { reveal } from '../../src/protocol/panel.ts';
import { runLeaderboard } from '../../src/protocol/runs.ts';
import { openSessionReport } from '../../src/protocol/sessions-overview.ts';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { HEADLINE_STYLES, SEVERITY_LABELS, SEVERITY_TONES } from '../format.ts';
import { useRequest } from '../hooks/use-request.ts';
import type { RunsHost } from '../host.ts';
import { TraceText } from '../overview/trace-text.tsx';
import { locationOf } from './run-values.ts';

type LeaderboardsProps = Readonly<{
  host: RunsHost;
  run: string;
  revision: number;
  /** Shows the trend of a task. */
  onTask: (task: string) => void;
}>;

/** The riskiest sessions of the newest run, and the least reliable tasks of all runs. */
export function Leaderboards({ host, run, revision, onTask }: LeaderboardsProps) {
  const params = useMemo(() => ({ run }), [run]);
  const answer = useRequest(host, runLeaderboard, params, revision);
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  if (answer.type === 'waiting') return null;
  const { leaderboard, locations } = answer.value;
  const { sessions, tasks } = leaderboard;
  const open = (index: number): void => {
    const location = locations[index];
    if (!location) return;
    const { uri, key } = location;
    const opening =
      key === null
        ? host.request(reveal, { target: { uri, pointer: '' }, focus: true })
        : host.request(openSessionReport, { session: key });
    void opening.catch(() => {});
  };
  return (
    <div className="leaderboards">
      {sessions.length === 0 ? null : (
        <section className="trend-section">
          <h2>{l10n.t('Riskiest sessions of the newest run')}</h2>
          <ol className="worst-sessions">
            {sessions.map(({ id, file, line, headline, risk, severity, task }, index) => (
              <li key={`${file} ${id}`}>
                <span className="item">
                  <ShapeIcon {...HEADLINE_STYLES[headline.kind]} />
                  <button type="button" className="link" onClick={() => open(index)}>
                    <TraceText text={task ?? id} />
                  </button>
                  {severity === null ? null : (
                    <span className={SEVERITY_TONES[severity]}>{SEVERITY_LABELS[severity]}</span>
                  )}
                  {risk === null ? null : <span className="quiet">{l10n.t('risk {0}', risk.toFixed(2))}</span>}
                </span>
                <TraceText text={headline.text} />
                <TraceText text={locationOf({ file, line })} className="quiet" />
              </li>
            ))}
          </ol>
        </section>
      )}
      {tasks.length === 0 ? null : (
        <section className="trend-section">
          <h2>{l10n.t('Least reliable tasks')}</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
          <section className="wide-table" tabIndex={0} aria-label={l10n.t('Least reliable tasks')}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{l10n.t('Task')}</th>
                  <th scope="col">{l10n.t('Succeeded')}</th>
                  <th scope="col">{l10n.t('95% Interval')}</th>
                  <th scope="col">{l10n.t('Runs')}</th>
                  <th scope="col">{l10n.t('Note')}</th>
                </tr>
              </thead>
              <tbody>
                {tasks.map(({ task, runs, attempts, correct, interval, flaky }) => (
                  <tr key={task}>
                    <th scope="row">
                      <button type="button" className="link" onClick={() => onTask(task)}>
                        <TraceText text={task} />
                      </button>
                    </th>
                    <td>{l10n.t('{0} of {1}', correct.toLocaleString('en'), attempts.toLocaleString('en'))}</td>
                    <td>{interval.map((end) => `${Math.round(100 * end)}%`).join(' – ')}</td>
                    <td>{runs.toLocaleString('en')}</td>
                    <td className="word-cell">
                      {flaky ? (
                        <span className="item doubtful">
                          <ShapeIcon shape="warning" tone="doubtful" />
                          {l10n.t('flaky')}
                        </span>
                      ) : null}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </section>
      )}
    </div>
  );
}
