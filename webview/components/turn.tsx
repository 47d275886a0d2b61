import { memo, useMemo } from 'react';
import type { Evidence, Passage } from '../../src/protocol/report-values.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { CitationsContext, citationsOf } from '../citations.ts';
import { useActions } from '../hooks/use-actions.ts';
import { turnId } from '../turn-id.ts';
import { duration } from '../words.ts';
import { Risk } from './bar.tsx';
import { Failures } from './failures.tsx';
import { Icon } from './icon.tsx';
import { Opinion } from './opinion.tsx';
import { Remarks } from './remarks.tsx';
import { RevealButton } from './reveal.tsx';
import { Scores } from './scores.tsx';
import { Transcript } from './transcript.tsx';
import { WithoutScore } from './without-score.tsx';

/** What of a turn the person looks at: what is said of it, by its id, and what that cites. */
export interface Chosen {
  readonly turn: number;
  readonly id: string;
  readonly evidence: readonly Evidence[];
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
  chosen: Chosen | null;
  found: Passage | null;
  onSelect: (turn: number) => void;
}>;

/** A turn: what was said and done, and its scores in the margin. */
export const Turn = memo(function Turn(props: TurnProps) {
  const { index, risk, place, places, row, failure, isSelected, chosen, found, onSelect } = props;
  const { session } = useActions();
  const id = turnId(index);
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
        <h2 id={`${id}-title`}>
          {row ? <RevealButton target={row.target}>Turn {index + 1}</RevealButton> : `Turn ${index + 1}`}
        </h2>
        {row && row.line !== null ? <span className="quiet">line {row.line}</span> : null}
        {row && row.durationMs !== null ? <span className="quiet">{duration(row.durationMs)}</span> : null}
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

function Content({ row, chosen, found }: Readonly<{ row: TurnRow; chosen: Chosen | null; found: Passage | null }>) {
  const { index, waiting, failures, failuresOmitted, observations, suppressed, scores, unscored } = row;
  const citations = useMemo(() => {
    const cited = failures.flatMap(({ evidence }) => evidence);
    return citationsOf(index, cited, chosen?.evidence ?? [], found);
  }, [index, failures, chosen, found]);
  const chosenId = chosen?.id ?? null;
  return (
    <>
      <CitationsContext value={citations}>
        <Transcript row={row} path={ROOT} />
      </CitationsContext>
      <aside aria-label={`Scores of turn ${index + 1}`}>
        {waiting ? <p className="quiet">This turn is being evaluated.</p> : null}
        <Failures failures={failures} omitted={failuresOmitted} chosen={chosenId} />
        <Remarks turn={index} observations={observations} suppressed={suppressed} chosen={chosenId} />
        <Scores scores={scores} turn={index} chosen={chosenId} />
        <WithoutScore groups={unscored} of={turnId(index)} />
      </aside>
    </>
  );
}

const ROOT = [] as const;

/** What can be done with a turn. */
function Tools({ row: { index, opinion } }: Readonly<{ row: TurnRow }>) {
  const { copy } = useActions();
  return (
    <span className="tools">
      <button
        type="button"
        className="thumb"
        aria-label={`Copy turn ${index + 1} as Markdown`}
        title="Copy as Markdown"
        onClick={() => copy(index)}
      >
        <Icon of="copy" />
      </button>
      <Opinion turn={index} of={{ type: 'turn' }} name={`turn ${index + 1}`} given={opinion} />
    </span>
  );
}
