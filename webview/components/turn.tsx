import * as l10n from '@vscode/l10n';
import { memo, useMemo } from 'react';
import { runCommand } from '../../src/protocol/panel.ts';
import type { Citation, ReportEvidence } from '../../src/protocol/report-values.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { CitationsContext, collectCitations } from '../citations.ts';
import { turnId } from '../element-ids.ts';
import { formatCount, formatDuration } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { FeedbackButtons } from './feedback.tsx';
import { Icon } from './icon.tsx';
import { ProblemList } from './problems.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { Transcript } from './transcript.tsx';
import { TurnScores } from './turn-scores.tsx';

/** The selected problem, observation or score of a turn, by its element id, and its evidence. */
export interface ChosenItem {
  readonly turn: number;
  readonly id: string;
  readonly evidence: readonly ReportEvidence[];
}

type TurnProps = Readonly<{
  /** Zero-based. */
  index: number;
  /** One-based position among the shown turns, and their number; some may be filtered out. */
  position: number;
  count: number;
  /** Undefined until it is loaded. */
  row: TurnRow | undefined;
  /** The error from loading the row. */
  failure: string | null;
  isSelected: boolean;
  /** Null unless it belongs to this turn. */
  chosen: ChosenItem | null;
  searchHit: Citation | null;
  onSelect: (turn: number) => void;
}>;

/** A turn: its transcript, with problems and scores in the margin. */
export const Turn = memo(function Turn(props: TurnProps) {
  const { index, position, count, row, failure, isSelected, chosen, searchHit, onSelect } = props;
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
      aria-posinset={position}
      aria-setsize={count}
      aria-current={isSelected || undefined}
      aria-busy={row === undefined}
      onFocus={() => onSelect(index)}
    >
      <header className="facts">
        <h2 id={`${id}-title`}>{row ? <RevealButton target={row.target}>{title}</RevealButton> : title}</h2>
        {row?.file === undefined ? null : (
          <span className="quiet">
            <PlainText text={row.file} />
          </span>
        )}
        {row && row.line !== null ? <span className="quiet">{l10n.t('line {0}', row.line)}</span> : null}
        {row && row.durationMs !== null ? <span className="quiet">{formatDuration(row.durationMs)}</span> : null}
        {row?.tokens ? <Tokens {...row.tokens} /> : null}
        {row ? <Tools row={row} /> : null}
      </header>
      {row ? (
        <Content row={row} chosen={chosen} searchHit={searchHit} />
      ) : failure === null ? null : (
        <p role="alert">{failure}</p>
      )}
    </article>
  );
});

function Content({
  row,
  chosen,
  searchHit,
}: Readonly<{ row: TurnRow; chosen: ChosenItem | null; searchHit: Citation | null }>) {
  const { index, waiting, problems, problemsOmitted } = row;
  const citations = useMemo(() => {
    const cited = problems.flatMap(({ evidence }) => evidence);
    return collectCitations(index, cited, chosen?.evidence ?? [], searchHit);
  }, [index, problems, chosen, searchHit]);
  const chosenId = chosen?.id ?? null;
  return (
    <>
      <CitationsContext value={citations}>
        <Transcript row={row} path={ROOT} />
      </CitationsContext>
      <aside aria-label={l10n.t('Scores of turn {0}', index + 1)}>
        {waiting ? <p className="quiet">{l10n.t('Evaluating this turn…')}</p> : null}
        <ProblemList problems={problems} omitted={problemsOmitted} chosen={chosenId} />
        <TurnScores row={row} chosen={chosenId} />
      </aside>
    </>
  );
}

function Tokens({ input, output }: NonNullable<TurnRow['tokens']>) {
  return (
    <span
      className="quiet"
      title={l10n.t('{0} sent, {1} received', input.toLocaleString('en'), output.toLocaleString('en'))}
    >
      {formatCount(input + output, 'token')}
    </span>
  );
}

const ROOT = [] as const;

/** The actions of a turn. */
function Tools({ row: { index, feedback, problems } }: Readonly<{ row: TurnRow }>) {
  const { host, session, copy } = useActions();
  if (host.surface === 'page') return null;
  return (
    <span className="tools">
      {/* Its place stays, so that nothing moves when a problem is found. */}
      <button
        type="button"
        className={problems.length > 0 ? 'thumb' : 'thumb absent'}
        aria-label={l10n.t('Add turn {0} to tests', index + 1)}
        title={l10n.t('Add to Tests')}
        onClick={() => void host.request(runCommand, { session, command: 'addToTests', turn: index }).catch(() => {})}
      >
        <Icon name="test" />
      </button>
      <button
        type="button"
        className="thumb"
        aria-label={l10n.t('Copy turn {0} as Markdown', index + 1)}
        title={l10n.t('Copy as Markdown')}
        onClick={() => copy(index)}
      >
        <Icon name="copy" />
      </button>
      <FeedbackButtons turn={index} of={{ type: 'turn' }} name={l10n.t('turn {0}', index + 1)} feedback={feedback} />
    </span>
  );
}
