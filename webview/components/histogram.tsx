import * as l10n from '@vscode/l10n';
import { type ReactNode, useState } from 'react';

const WIDTH = 240;
const HEIGHT = 64;

type HistogramProps = Readonly<{
  /** What it is the distribution of. */
  name: string;
  caption: ReactNode;
  /** Of the same width, ascending. */
  bins: readonly { readonly from: number; readonly to: number; readonly count: number }[];
  /** Null: no line. */
  threshold: number | null;
  format: (value: number) => string;
  /** The head of the column of counts. */
  counted: string;
}>;

/** How often which value occurs, as bars or as a table. */
export function Histogram({ name, caption, bins, threshold, format, counted }: HistogramProps) {
  const [isTable, setTable] = useState(false);
  const most = Math.max(...bins.map(({ count }) => count));
  const first = bins[0];
  const last = bins.at(-1);
  if (!first || !last) return null;
  const width = WIDTH / bins.length;
  const isInside = threshold !== null && threshold >= first.from && threshold <= last.to && last.to > first.from;
  const line = isInside ? ((threshold - first.from) / (last.to - first.from)) * WIDTH : null;
  return (
    <figure className="histogram">
      <figcaption>
        {caption}
        {threshold === null ? null : <span className="quiet"> · {l10n.t('threshold {0}', format(threshold))}</span>}{' '}
        <button type="button" className="more" onClick={() => setTable(!isTable)}>
          {isTable ? l10n.t('Show Chart') : l10n.t('Show Table')}
        </button>
      </figcaption>
      {isTable ? (
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t('From')}</th>
              <th scope="col">{l10n.t('To')}</th>
              <th scope="col">{counted}</th>
            </tr>
          </thead>
          <tbody>
            {bins.map(({ from, to, count }) => (
              <tr key={from}>
                <td>{format(from)}</td>
                <td>{format(to)}</td>
                <td>{count.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            width={WIDTH}
            height={HEIGHT}
            role="img"
            aria-label={l10n.t('Distribution of {0}', name)}
          >
            {bins.map(({ from, count }, index) => {
              const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
              return (
                <rect key={from} x={index * width + 1} y={HEIGHT - height} width={width - 2} height={height}>
                  <title>{count.toLocaleString('en')}</title>
                </rect>
              );
            })}
            <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
            {line === null ? null : <path className="threshold" d={`M${line.toFixed(1)} 0V${HEIGHT}`} />}
          </svg>
          <div className="histogram-ends quiet">
            <span>{format(first.from)}</span>
            <span>{format(last.to)}</span>
          </div>
        </>
      )}
    </figure>
  );
}
