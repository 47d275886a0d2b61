import * as l10n from '@vscode/l10n';
import { memo } from 'react';
import type { JsonTarget, TextExcerpt } from '../../src/protocol/report-values.ts';
import type { AlignedPartRow, TranscriptPartRow } from '../../src/protocol/runs.ts';
import { ArgumentChanges } from '../components/argument-changes.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon, type ShapeStyle } from '../components/shape-icon.tsx';
import { firstLines, hiddenLabel } from '../fold-text.ts';
import { formatCount } from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useOpen } from '../hooks/use-row-state.ts';

/** Lines of a text that are shown initially. */
const LINES = 6;

type AlignedPartProps = Readonly<{
  index: number;
  /** Undefined while it is loading. */
  row: AlignedPartRow | undefined;
  /** The row before it: where its turns are others, the numbers of the turns are shown. */
  above: AlignedPartRow | undefined;
  failure: string | null;
  isCurrent: boolean;
  /** Whether this is where they diverge. */
  isDivergence: boolean;
  onReveal: (target: JsonTarget, focus: boolean) => void;
}>;

/** A message or a step of two sessions, side by side. */
export const AlignedPart = memo(function AlignedPart(props: AlignedPartProps) {
  const { index, row, above, failure, isCurrent, isDivergence, onReveal } = props;
  if (!row) {
    return (
      <article
        id={alignedPartId(index)}
        className="part quiet"
        tabIndex={isCurrent ? 0 : -1}
        aria-busy={failure === null}
      >
        {failure ?? '…'}
      </article>
    );
  }
  const { change, left, right } = row;
  const label = CHANGE_LABELS[change];
  const name = partName(row);
  return (
    <article
      id={alignedPartId(index)}
      className={`part change-${change}`}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={label === null ? name : `${name}: ${label.word}`}
    >
      <header>
        <b className={row.name === null ? '' : 'metric'}>{name}</b>
        {label === null ? null : (
          <span className={`item ${label.tone}`}>
            <ShapeIcon {...label} />
            {label.word}
          </span>
        )}
        {isDivergence ? <span className="first-difference">{l10n.t('Diverges here')}</span> : null}
        <Turns row={row} above={above} />
      </header>
      {row.arguments === null ? null : (
        <ArgumentChanges changes={row.arguments.changes} omitted={row.arguments.changesOmitted} names={['A', 'B']} />
      )}
      {change === 'same' ? (
        <PartText id={`${index} both`} part={left ?? right} isCall={isCall(row)} onReveal={onReveal} side={null} />
      ) : (
        <div className="sides">
          <PartText id={`${index} A`} part={left} isCall={isCall(row)} onReveal={onReveal} side="A" />
          <PartText id={`${index} B`} part={right} isCall={isCall(row)} onReveal={onReveal} side="B" />
        </div>
      )}
    </article>
  );
});

export function alignedPartId(index: number): string {
  return `part-${index}`;
}

interface ChangeLabel extends ShapeStyle {
  readonly word: string;
}

const CHANGE_LABELS: Readonly<Record<AlignedPartRow['change'], ChangeLabel | null>> = {
  same: null,
  reworded: { word: l10n.t('other words'), shape: 'dash', tone: 'quiet' },
  arguments: { word: l10n.t('other arguments'), shape: 'unequal', tone: 'doubtful' },
  result: { word: l10n.t('other result'), shape: 'unequal', tone: 'doubtful' },
  left: { word: l10n.t('only in A'), shape: 'before', tone: 'doubtful' },
  right: { word: l10n.t('only in B'), shape: 'after', tone: 'doubtful' },
};

const TYPE_LABELS = {
  user: l10n.t('User'),
  model: l10n.t('Agent, between steps'),
  tool: l10n.t('Tool call'),
  retrieval: l10n.t('Retrieval'),
  agent: l10n.t('Sub-agent'),
  answer: l10n.t('Agent'),
} as const satisfies Record<AlignedPartRow['type'], string>;

function partName({ name, type }: AlignedPartRow): string {
  return name === null ? TYPE_LABELS[type] : revealHiddenCharacters(name);
}

function isCall({ type }: AlignedPartRow): boolean {
  return type === 'tool' || type === 'retrieval';
}

/** The numbers of the turns, where they are others than above. */
function Turns({ row, above }: Pick<AlignedPartProps, 'above'> & Readonly<{ row: AlignedPartRow }>) {
  const isNew = (['left', 'right'] as const).some((side) => {
    const [now, before] = [row[side]?.turn, above?.[side]?.turn];
    return now !== undefined && now !== before && (before !== undefined || !hasTurn(above, now));
  });
  return isNew ? <span className="quiet part-turns">{turnsOf(row)}</span> : null;
}

function hasTurn(row: AlignedPartRow | undefined, turn: number): boolean {
  return row?.left?.turn === turn || row?.right?.turn === turn;
}

function turnsOf({ left, right }: AlignedPartRow): string {
  if (left && right && left.turn === right.turn) return l10n.t('turn {0}', left.turn + 1);
  const one = left ? l10n.t('turn {0} of A', left.turn + 1) : null;
  const other = right ? l10n.t('turn {0} of B', right.turn + 1) : null;
  return [one, other].filter((text) => text !== null).join(', ');
}

type PartTextProps = Readonly<{
  /** Unique in the page. */
  id: string;
  part: TranscriptPartRow | null;
  isCall: boolean;
  /** Null for both. */
  side: 'A' | 'B' | null;
  onReveal: AlignedPartProps['onReveal'];
}>;

function PartText({ id, part, isCall: hasCode, side, onReveal }: PartTextProps) {
  if (part === null)
    return <p className="quiet missing-part">{side === 'A' ? l10n.t('Not in A') : l10n.t('Not in B')}</p>;
  const { text, result, outcome, target } = part;
  return (
    <div className="part-text">
      {side === null ? null : (
        <b className="part-side" aria-hidden="true">
          {side}
        </b>
      )}
      <FoldedText id={id} excerpt={text} className={hasCode ? 'plain' : ''} />
      {result === null ? null : (
        <div className="part-result">
          <span className={outcome === null || outcome === 'ok' ? 'quiet' : 'bad'}>
            {outcome === null ? l10n.t('returned') : OUTCOME_LABELS[outcome]}
          </span>{' '}
          <FoldedText id={`${id} result`} excerpt={result} className="plain" />
        </div>
      )}
      {result === null && outcome !== null && outcome !== 'ok' ? (
        <p className="bad">{OUTCOME_LABELS[outcome]}</p>
      ) : null}
      <button
        type="button"
        className="more open-json"
        aria-label={side === null ? l10n.t('Show in JSON') : l10n.t('Show in JSON of {0}', side)}
        onClick={({ detail }) => onReveal(target, detail === 0)}
      >
        {l10n.t('JSON')}
      </button>
    </div>
  );
}

const OUTCOME_LABELS = {
  ok: l10n.t('returned'),
  error: l10n.t('failed'),
  rejected: l10n.t('rejected by the user'),
  missing: l10n.t('has no result'),
} as const satisfies Record<NonNullable<TranscriptPartRow['outcome']>, string>;

/** A text of a trace, folded after some lines. */
function FoldedText({ id, excerpt, className }: Readonly<{ id: string; excerpt: TextExcerpt; className: string }>) {
  const { text, omitted } = excerpt;
  const [isOpen, setOpen] = useOpen(id, false);
  const beginning = firstLines(text, LINES);
  const isFolded = beginning.length < text.length;
  return (
    <div className="long">
      <div className={`text ${className}`} dir="auto">
        <PlainText text={isOpen ? text : beginning} />
      </div>
      {isFolded ? (
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? l10n.t('Show Less') : l10n.t('Show {0}', hiddenLabel(text, beginning.length))}
        </button>
      ) : null}
      {omitted > 0 && (isOpen || !isFolded) ? (
        <p className="quiet">{l10n.t('{0} in the file', formatCount(omitted, 'more character'))}</p>
      ) : null}
    </div>
  );
}
