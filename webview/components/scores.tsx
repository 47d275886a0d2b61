import * as l10n from '@vscode/l10n';
import type { ReportScore } from '../../src/protocol/report-values.ts';
import { formatScore, formatValue } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useChoosing } from '../hooks/use-choosing.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { ScoreDetails } from './score-details.tsx';
import { ShapeIcon } from './shape-icon.tsx';

type ScoresProps = Readonly<{
  scores: readonly ReportScore[];
  /** Zero-based; null: scores of the session. */
  turn: number | null;
  chosen?: string | null;
}>;

/** Scores with their scales and thresholds. Each expands to its details. */
export function Scores({ scores, turn, chosen = null }: ScoresProps) {
  if (scores.length === 0) return null;
  return (
    <ul className="scores" aria-label={l10n.t('Scores')}>
      {scores.map((score) => (
        <ScoreItem key={score.metric} score={score} turn={turn} chosen={chosen} />
      ))}
    </ul>
  );
}

type ScoreItemProps = Readonly<{ score: ReportScore; turn: number | null; chosen: string | null }>;

function ScoreItem({ score, turn, chosen }: ScoreItemProps) {
  const { choose } = useActions();
  const id = `${turn === null ? 'session' : `turn-${turn + 1}`}-score-${score.metric}`;
  const [isOpen, setOpen] = useOpen(id, false);
  const { metric, reason, hasPrompt, labels, evidence } = score;
  const choosing = useChoosing(() => turn !== null && choose(turn, id, evidence));
  if (reason === null && !hasPrompt && labels.length < 2 && evidence.length === 0) {
    return (
      <li className="score">
        <div className="figures">
          <ScoreValue score={score} />
        </div>
      </li>
    );
  }
  return (
    <li
      className={['score', ...(isOpen ? ['open'] : []), ...(chosen === id ? ['chosen'] : [])].join(' ')}
      {...choosing}
    >
      <button type="button" className="figures" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ScoreValue score={score} />
      </button>
      {isOpen ? <ScoreDetails score={score} turn={turn} name={metric} /> : null}
    </li>
  );
}

function ScoreValue({ score }: Readonly<{ score: ReportScore }>) {
  const { metric, status, value, scale, threshold, passed, lowerIsBetter } = score;
  const isVacuous = status === 'vacuous';
  const isLow = passed === false && !isVacuous;
  const text = formatScore(score);
  return (
    <>
      {isLow ? <ShapeIcon shape="bang" tone="bad" /> : <span />}
      <span className="metric">{metric}</span>
      <span className={typeof value === 'string' ? 'word' : isVacuous ? 'number vacuous' : 'number'}>
        {isVacuous ? `(${text})` : text}
      </span>
      {threshold === null || isVacuous ? null : (
        <span className="limit">
          <span className="hidden">{isLow ? thresholdLabel(score) : l10n.t('threshold')} </span>
          {lowerIsBetter ? '≤' : '≥'} {formatValue(threshold, scale)}
        </span>
      )}
      {isVacuous ? <span className="limit">{l10n.t('nothing to judge')}</span> : null}
    </>
  );
}

function thresholdLabel({ lowerIsBetter }: ReportScore): string {
  return lowerIsBetter ? l10n.t('above its threshold') : l10n.t('below its threshold');
}
