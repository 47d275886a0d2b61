import * as l10n from '@vscode/l10n';
import type { RunComparison } from '../../src/core/run-comparison.ts';
import { PlainText } from '../components/rich-text.tsx';
import { formatCount } from '../format.ts';
import { TraceText } from '../overview/trace-text.tsx';
import { locationOf } from './run-values.ts';

/** Tasks that are listed of a run. */
const MAX_TASKS = 200;

/** What is not compared, since some run does not have it, and tasks that have another name now. */
export function OnlyIn({ comparison }: Readonly<{ comparison: RunComparison }>) {
  const { onlyIn, runs, pairing } = comparison;
  const { renamed, changed } = pairing;
  const lists = onlyIn.filter(({ tasks }) => tasks.length > 0);
  if (lists.length === 0 && renamed.length === 0 && changed.length === 0) {
    return <p className="nothing">{l10n.t('All runs have the same tasks.')}</p>;
  }
  return (
    <div className="only-in">
      {lists.map(({ run, tasks }) => (
        <section key={run}>
          <h2>
            <PlainText text={l10n.t('Only in {0}', runs[run]?.label ?? '')} />{' '}
            <span className="quiet">{l10n.t('{0}, not averaged', formatCount(tasks.length, 'task'))}</span>
          </h2>
          <ul>
            {tasks.slice(0, MAX_TASKS).map(({ task, sessions }) => {
              const [first] = sessions;
              return (
                <li key={`${task} ${first?.file} ${first?.id}`}>
                  <TraceText text={task ?? first?.id ?? ''} />{' '}
                  <span className="quiet">
                    {first ? <PlainText text={locationOf(first)} /> : null}
                    {sessions.length > 1 ? ` · ${formatCount(sessions.length, 'session')}` : ''}
                  </span>
                </li>
              );
            })}
            {tasks.length > MAX_TASKS ? (
              <li className="quiet">{l10n.t('and {0} more', (tasks.length - MAX_TASKS).toLocaleString('en'))}</li>
            ) : null}
          </ul>
        </section>
      ))}
      {changed.length === 0 ? null : (
        <section>
          <h2>{l10n.t('Same name, other inputs')}</h2>
          <ul>
            {changed.slice(0, MAX_TASKS).map((task) => (
              <li key={task}>
                <TraceText text={task} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {renamed.length === 0 ? null : (
        <section>
          <h2>
            {l10n.t('Renamed tasks')}{' '}
            <span className="quiet">{l10n.t('compared, since their inputs are the same')}</span>
          </h2>
          <ul>
            {renamed.slice(0, MAX_TASKS).map(({ before, after }) => (
              <li key={before}>
                <TraceText text={before} /> → <TraceText text={after} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
