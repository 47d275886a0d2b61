import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'react';
import { signals as signalsRequest } from '../../src/protocol/report.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';
import { SignalsChart } from './signals-chart.tsx';
import { SignalsTable } from './signals-table.tsx';

type SignalsTabProps = Readonly<{
  revision: number;
  selected: number | null;
  onSelect: (turn: number) => void;
}>;

/** Scores over the turns, as a chart or a table. */
export function Signals({ revision, selected, onSelect }: SignalsTabProps) {
  const { host, session } = useActions();
  const [metric, setMetric] = useState('');
  const [isTable, setTable] = useState(false);
  const params = useMemo(() => (metric === '' ? { session } : { session, metrics: [metric] }), [session, metric]);
  const answer = useRequest(host, signalsRequest, params, revision);
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  const { signals, available } = answer.type === 'here' ? answer.value : { signals: [], available: [] };
  const chart = { signals, selected, onSelect };
  return (
    <section className="signals" aria-label={l10n.t('Signals over the turns')}>
      {answer.type === 'here' && available.length === 0 ? (
        <p className="quiet">{l10n.t('No metric can be charted.')}</p>
      ) : isTable ? (
        <SignalsTable {...chart} />
      ) : (
        <SignalsChart {...chart} />
      )}
      {answer.type === 'here' && available.length === 0 ? null : (
        <p className={answer.type === 'here' ? 'choices' : 'choices none'}>
          <select
            aria-label={l10n.t('Metric of the chart')}
            value={metric}
            onChange={(event) => setMetric(event.target.value)}
          >
            <option value="">{l10n.t('signals')}</option>
            {available.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <button type="button" className="more" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? l10n.t('As Chart') : l10n.t('As Table')}
          </button>
        </p>
      )}
    </section>
  );
}
