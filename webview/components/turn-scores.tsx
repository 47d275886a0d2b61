import * as l10n from '@vscode/l10n';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { turnId } from '../element-ids.ts';
import { formatCount } from '../format.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { ObservationList } from './observations.tsx';
import { Scores } from './scores.tsx';
import { UnscoredMetrics } from './unscored-metrics.tsx';

/** Scores below their threshold and failed metrics of a turn. One line opens the rest. */
export function TurnScores({ row, chosen }: Readonly<{ row: TurnRow; chosen: string | null }>) {
  const { index, scores, unscored, observations, suppressed } = row;
  const low = scores.filter(({ passed, status }) => passed === false && status === 'scored');
  const other = scores.filter((score) => !low.includes(score));
  const failed = unscored.filter(({ status }) => status === 'error');
  const missing = unscored.filter(({ status }) => status !== 'error');
  const isCited = chosen !== null && observations.length > 0 && chosen.includes('-observation-');
  const [isOpen, setOpen] = useOpen(`${turnId(index)}-more`, isCited);
  const hidden = other.length + missing.reduce((sum, { metrics }) => sum + metrics, 0);
  const counts = [
    ...(hidden === 0 ? [] : [formatCount(hidden, 'more score')]),
    ...(observations.length === 0 ? [] : [formatCount(observations.length, 'observation')]),
    ...(suppressed.length === 0 ? [] : [l10n.t('{0} suppressed', suppressed.length)]),
  ];
  return (
    <>
      <Scores scores={low} turn={index} chosen={chosen} />
      <UnscoredMetrics groups={failed} of={`${turnId(index)}-failed`} />
      {counts.length === 0 ? null : (
        <button type="button" className="opener more-scores" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {counts.join(' · ')}
        </button>
      )}
      {isOpen ? (
        <>
          <ObservationList turn={index} observations={observations} suppressed={suppressed} chosen={chosen} />
          <Scores scores={other} turn={index} chosen={chosen} />
          <UnscoredMetrics groups={missing} of={turnId(index)} />
        </>
      ) : null}
    </>
  );
}
