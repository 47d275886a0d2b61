import * as l10n from '@vscode/l10n';
import { memo, useMemo } from 'react';
import type { Citation, ReportEvidence } from '../../src/protocol/report-values.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { CitationsContext, collectCitations } from '../citations.ts';
import { turnId } from '../element-ids.ts';
import { formatDuration } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { Risk } from './bar.tsx';
import { FeedbackButtons } from './feedback.tsx';
import { Icon } from './icon.tsx';
import { ObservationList } from './observations.tsx';
import { ProblemList } from './problems.tsx';
import { RevealButton } from './reveal.tsx';
import { Scores } from './scores.tsx';
import { Transcript } from './transcript.tsx';
import { UnscoredMetrics } from './unscored-metrics.tsx';

/** What of a turn the person looks at: what is said of it, by its id, and what that cites. */
export interface ChosenItem {
  readonly turn: number;
  readonly id: string;
  readonly evidence: readonly ReportEvidence[];
}

type TurnProps = Readonly<{
  /** Zero-based. */
  index: number;
  risk: number | null;
  /**
   * How many turns there are, of which it is at this place; both differ from those of the session where some are
   * filtered.
   */
  place: number;
  places: number;
  /** Undefined until it is here. */
  row: TurnRow | undefined;
  /** Why it will not be here by itself. */
  failure: string | null;
  isSelected: boolean;
  /** Null unless it is of this turn. */
  chosen: ChosenItem | null;
  found: Citation | null;
  onSelect: (turn: number) => void;
}>;

/** A turn: what was said and done, and its scores in the margin. */
export const Turn = memo(function Turn(props: TurnProps) {
  const { index, risk, place, places, row, failure, isSelected, chosen, found, onSelect } = props;
  const { session } = useActions();
  const id = turnId(index);
  const title = l10n.t('Turn {0}', index + 1);
  return (
    <article
      id={id}
      data-vscode-context={JSON.stringify({ webviewSection: 'turn', session, turn: index })}
      className="turn"
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      aria-posinset={place}
      aria-setsize={places}
      aria-current={isSelected || undefined}
      aria-busy={row === undefined}
      onFocus={() => onSelect(index)}
    >
      <header className="facts">
        <h2 id={`${id}-title`}>{row ? <RevealButton target={row.target}>{title}</RevealButton> : title}</h2>
        {row && row.line !== null ? <span className="quiet">{l10n.t('line {0}', row.line)}</span> : null}
        {row && row.durationMs !== null ? <span className="quiet">{formatDuration(row.durationMs)}</span> : null}
        {row?.waiting ? null : <Risk risk={risk} />}
        {row ? <Tools row={row} /> : null}
      </header>
      {row ? (
        <Content row={row} chosen={chosen} found={found} />
      ) : failure === null ? null : (
        <p role="alert">{failure}</p>
      )}
    </article>
  );
});

function Content({
  row,
  chosen,
  found,
}: Readonly<{ row: TurnRow; chosen: ChosenItem | null; found: Citation | null }>) {
  const { index, waiting, failures, failuresOmitted, observations, suppressed, scores, unscored } = row;
  const citations = useMemo(() => {
    const cited = failures.flatMap(({ evidence }) => evidence);
    return collectCitations(index, cited, chosen?.evidence ?? [], found);
  }, [index, failures, chosen, found]);
  const chosenId = chosen?.id ?? null;
  return (
    <>
      <CitationsContext value={citations}>
        <Transcript row={row} path={ROOT} />
      </CitationsContext>
      <aside aria-label={l10n.t('Scores of turn {0}', index + 1)}>
        {waiting ? <p className="quiet">{l10n.t('Evaluating this turn…')}</p> : null}
        <ProblemList failures={failures} omitted={failuresOmitted} chosen={chosenId} />
        <ObservationList turn={index} observations={observations} suppressed={suppressed} chosen={chosenId} />
        <Scores scores={scores} turn={index} chosen={chosenId} />
        <UnscoredMetrics groups={unscored} of={turnId(index)} />
      </aside>
    </>
  );
}

const ROOT = [] as const;

/** What can be done with a turn. */
function Tools({ row: { index, feedback } }: Readonly<{ row: TurnRow }>) {
  const { copy } = useActions();
  return (
    <span className="tools">
      <button
        type="button"
        className="thumb"
        aria-label={l10n.t('Copy turn {0} as Markdown', index + 1)}
        title={l10n.t('Copy as Markdown')}
        onClick={() => copy(index)}
      >
        <Icon of="copy" />
      </button>
      <FeedbackButtons turn={index} of={{ type: 'turn' }} name={l10n.t('turn {0}', index + 1)} given={feedback} />
    </span>
  );
}
