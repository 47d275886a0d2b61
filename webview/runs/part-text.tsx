import * as l10n from '@vscode/l10n';
import type { JsonTarget, TextExcerpt } from '../../src/protocol/report-values.ts';
import type { AlignedPartRow, TranscriptPartRow } from '../../src/protocol/runs.ts';
import { PlainText } from '../components/rich-text.tsx';
import { firstLines, hiddenLabel } from '../fold-text.ts';
import { formatCount } from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useOpen } from '../hooks/use-row-state.ts';

/** Lines of a text that are shown initially. */
const LINES = 6;

const TYPE_LABELS = {
  user: l10n.t('User'),
  model: l10n.t('Agent, between steps'),
  tool: l10n.t('Tool call'),
  retrieval: l10n.t('Retrieval'),
  agent: l10n.t('Sub-agent'),
  answer: l10n.t('Agent'),
} as const satisfies Record<AlignedPartRow['type'], string>;

/** What a message or a step is called: its tool or sub-agent, else who speaks. */
export function partName({ name, type }: Pick<AlignedPartRow, 'name' | 'type'>): string {
  return name === null ? TYPE_LABELS[type] : revealHiddenCharacters(name);
}

export function isCall({ type }: Pick<AlignedPartRow, 'type'>): boolean {
  return type === 'tool' || type === 'retrieval';
}

type PartTextProps = Readonly<{
  /** Unique in the page. */
  id: string;
  part: TranscriptPartRow | null;
  isCall: boolean;
  /** Null for both. */
  side: 'A' | 'B' | null;
  /** Shows it in its file; null: it cannot be shown. */
  onReveal: ((target: JsonTarget, focus: boolean) => void) | null;
  /** Lines that are shown initially, of a message and of a result. */
  lines?: number;
}>;

/** A message, or a call with its result. Long texts are folded. */
export function PartText({ id, part, isCall: hasCode, side, onReveal, lines = LINES }: PartTextProps) {
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
      <FoldedText id={id} excerpt={text} className={hasCode ? 'plain' : ''} lines={lines} />
      {result === null ? null : (
        <div className="part-result">
          <span className={outcome === null || outcome === 'ok' ? 'quiet' : 'bad'}>
            {outcome === null ? l10n.t('returned') : OUTCOME_LABELS[outcome]}
          </span>{' '}
          <FoldedText id={`${id} result`} excerpt={result} className="plain" lines={Math.min(lines, LINES)} />
        </div>
      )}
      {result === null && outcome !== null && outcome !== 'ok' ? (
        <p className="bad">{OUTCOME_LABELS[outcome]}</p>
      ) : null}
      {onReveal === null ? null : (
        <button
          type="button"
          className="more open-json"
          aria-label={side === null ? l10n.t('Show in JSON') : l10n.t('Show in JSON of {0}', side)}
          onClick={({ detail }) => onReveal(target, detail === 0)}
        >
          {l10n.t('JSON')}
        </button>
      )}
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
export function FoldedText({
  id,
  excerpt,
  className,
  lines,
}: Readonly<{ id: string; excerpt: TextExcerpt; className: string; lines: number }>) {
  const { text, omitted } = excerpt;
  const [isOpen, setOpen] = useOpen(id, false);
  const beginning = firstLines(text, lines);
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
