import * as l10n from '@vscode/l10n';
import { useMemo } from 'react';
import { runDistribution } from '../../src/protocol/runs.ts';
import { Histogram } from '../components/histogram.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { formatCount } from '../format.ts';
import { useRequest } from '../hooks/use-request.ts';
import type { RunsHost } from '../host.ts';
import { formatRunTime, formatRunValue } from './run-values.ts';

type RunDistributionProps = Readonly<{ host: RunsHost; run: string; subject: string; revision: number }>;

/** How the values of a run's sessions are distributed. */
export function RunDistribution({ host, run, subject, revision }: RunDistributionProps) {
  const params = useMemo(() => ({ run, subject }), [run, subject]);
  const answer = useRequest(host, runDistribution, params, revision);
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  const distribution = answer.type === 'here' ? answer.value.distribution : null;
  if (distribution === null || distribution.n === 0) return null;
  const { n, missing, mean, median, missed, bins, run: label, subject: shown } = distribution;
  const format = (value: number) => formatRunValue(value, shown.unit, shown.scale);
  return (
    <section className="trend-section">
      <h2>
        <PlainText text={l10n.t('Distribution in {0}', label.name ?? formatRunTime(label.startedAt))} />
      </h2>
      <Histogram
        name={shown.name}
        caption={
          <span className="quiet">
            {[
              formatCount(n, 'session'),
              ...(missing === 0 ? [] : [l10n.t('{0} without a value', missing.toLocaleString('en'))]),
              ...(mean === null ? [] : [l10n.t('mean {0}', format(mean))]),
              ...(median === null ? [] : [l10n.t('median {0}', format(median))]),
              ...(missed === null ? [] : [l10n.t('{0} miss the threshold', missed.toLocaleString('en'))]),
            ].join(' · ')}
          </span>
        }
        bins={bins}
        threshold={shown.threshold}
        format={format}
        counted={l10n.t('Sessions')}
      />
    </section>
  );
}
