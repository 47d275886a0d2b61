import * as l10n from '@vscode/l10n';
import type { Flip, JudgeNoise } from '../../src/core/run-comparison.ts';
import { formatCount } from '../format.ts';
import { TraceText } from '../overview/trace-text.tsx';

/** Sessions that are listed. */
const MAX_SESSIONS = 200;

type JudgeNoiseTabProps = Readonly<{
  noise: JudgeNoise;
  onOpen: (before: Flip['before'], after: Flip['after']) => void;
}>;

/** What changed although the session did not: apart from everything else, since the agent did not change it. */
export function JudgeNoiseTab({ noise, onOpen }: JudgeNoiseTabProps) {
  const { unchanged, metrics, sessions } = noise;
  const rows = Object.entries(metrics);
  if (unchanged === 0) {
    return <p className="nothing">{l10n.t('No session is the same in both runs, so judge noise cannot be seen.')}</p>;
  }
  return (
    <div className="noise">
      <p>
        {sessions.length === 0
          ? l10n.t('{0} are the same in both runs, and were judged alike.', formatCount(unchanged, 'session'))
          : l10n.t(
              '{0} are the same in both runs. Judged differently: {1}. The judge changed its mind, not the agent.',
              formatCount(unchanged, 'session'),
              sessions.length.toLocaleString('en'),
            )}
      </p>
      {rows.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t('Metric')}</th>
              <th scope="col">{l10n.t('Changed')}</th>
              <th scope="col">{l10n.t('Mean Change')}</th>
              <th scope="col">{l10n.t('Largest')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, { sessions: judged, changed, meanChange, largestChange }]) => (
              <tr key={name}>
                <th scope="row">
                  <TraceText text={name} className="metric" />
                </th>
                <td>{l10n.t('{0} of {1}', changed.toLocaleString('en'), judged.toLocaleString('en'))}</td>
                <td>{meanChange.toFixed(2)}</td>
                <td>{largestChange.toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <ul className="noise-sessions">
        {sessions.slice(0, MAX_SESSIONS).map(({ before, after, scores }) => (
          <li key={`${after.file} ${after.id}`}>
            <button type="button" className="link" onClick={() => onOpen(before, after)}>
              <TraceText text={after.id} />
            </button>
            {Object.entries(scores).map(([metric, [old, now]]) => (
              <span key={metric}>
                <TraceText text={metric} className="metric" /> {old.toFixed(2)} → {now.toFixed(2)}
              </span>
            ))}
          </li>
        ))}
        {sessions.length > MAX_SESSIONS ? (
          <li className="quiet">{l10n.t('and {0} more', (sessions.length - MAX_SESSIONS).toLocaleString('en'))}</li>
        ) : null}
      </ul>
    </div>
  );
}
