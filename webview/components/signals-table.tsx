import * as l10n from '@vscode/l10n';
import { useState } from 'react';
import { formatValue } from '../format.ts';
import type { SignalsViewProps } from './signals-chart.tsx';

/** Turns per page of the table. */
const PAGE_SIZE = 50;

/** The values of the signals: initially the page of the selected turn. */
export function SignalsTable({ signals, selected, onSelect }: SignalsViewProps) {
  const [chosenPage, setChosenPage] = useState<number | null>(null);
  const turns = signals[0]?.values.length ?? 0;
  const pages = Math.max(1, Math.ceil(turns / PAGE_SIZE));
  const page = Math.min(pages - 1, chosenPage ?? Math.floor((selected ?? 0) / PAGE_SIZE));
  const first = page * PAGE_SIZE;
  const end = Math.min(turns, first + PAGE_SIZE);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="table" tabIndex={0} aria-label={l10n.t('Signals as a table')}>
      <table>
        <caption>
          {l10n.t('Turns {0} to {1} of {2}', first + 1, end, turns.toLocaleString('en'))}{' '}
          {page > 0 ? (
            <button type="button" className="more" onClick={() => setChosenPage(page - 1)}>
              {l10n.t('Earlier')}
            </button>
          ) : null}{' '}
          {page + 1 < pages ? (
            <button type="button" className="more" onClick={() => setChosenPage(page + 1)}>
              {l10n.t('Later')}
            </button>
          ) : null}
        </caption>
        <thead>
          <tr>
            <th scope="col">{l10n.t('turn')}</th>
            {signals.map(({ metric, threshold, scale, lowerIsBetter }) => (
              <th key={metric} scope="col">
                {metric}
                {threshold === null ? null : (
                  <span className="quiet">
                    {' '}
                    {lowerIsBetter ? '≤' : '≥'} {formatValue(threshold, scale)}
                  </span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: end - first }, (_, nth) => first + nth).map((turn) => (
            <tr key={turn} aria-current={turn === selected || undefined}>
              <th scope="row">
                <button type="button" className="link" onClick={() => onSelect(turn)}>
                  {turn + 1}
                </button>
              </th>
              {signals.map(({ metric, values, scale }) => {
                const value = values[turn] ?? null;
                return <td key={metric}>{value === null ? '–' : formatValue(value, scale)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
