import * as l10n from '@vscode/l10n';
import type { LabelPartRow, ResultToLabel } from '../../src/protocol/labels.ts';
import type { JsonTarget } from '../../src/protocol/report-values.ts';
import { PlainText } from '../components/rich-text.tsx';
import { formatCount } from '../format.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { TraceText } from '../overview/trace-text.tsx';
import { isCall, PartText, partName } from './part-text.tsx';
import { locationOf } from './run-values.ts';

/** Lines of a message that are shown initially: a label needs what was said. */
const MESSAGE_LINES = 24;

type LabelItemProps = Readonly<{
  result: ResultToLabel;
  /** The id of the heading, which gets the focus. */
  headingId: string;
  /** Whether the judge's answer is known: until then the trace has scores that are better not seen. */
  isLabelled: boolean;
  onReveal: (target: JsonTarget) => void;
}>;

/** What a result is about: what the user said, what the agent did, and what it answered. */
export function LabelItem({ result, headingId, isLabelled, onReveal }: LabelItemProps) {
  const { id, file, line, session, turn, target, earlier, parts, omitted } = result;
  const [isOpen, setOpen] = useOpen(`${id} earlier`, false);
  const before = new Set(earlier.map((part) => part.turn)).size;
  return (
    <article className="label-item" aria-labelledby={headingId}>
      <header className="facts">
        <h2 id={headingId} tabIndex={-1}>
          {turn === null ? l10n.t('The whole session') : l10n.t('Turn {0}', turn + 1)}
        </h2>
        <TraceText text={session} className="quiet" />
        <button
          type="button"
          className="more label-location"
          title={
            isLabelled
              ? l10n.t('Open Trace')
              : l10n.t('Open the trace: scores that the editor shows there are not hidden')
          }
          onClick={() => onReveal(target)}
        >
          <PlainText text={locationOf({ file, line })} />
        </button>
      </header>
      {before === 0 ? null : (
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? l10n.t('Hide Earlier Turns')
            : before === 1
              ? l10n.t('Show 1 Earlier Turn')
              : l10n.t('Show {0} Earlier Turns', before)}
        </button>
      )}
      {isOpen ? (
        <div className="earlier-parts">
          <LabelParts parts={earlier} id={`${id} earlier`} />
        </div>
      ) : null}
      <LabelParts parts={parts} id={id} />
      {parts.length === 0 ? <p className="quiet">{l10n.t('Nothing was said or done in it.')}</p> : null}
      {omitted === 0 ? null : <p className="quiet">{l10n.t('{0} in the file', formatCount(omitted, 'more step'))}</p>}
    </article>
  );
}

function LabelParts({ parts, id }: Readonly<{ parts: readonly LabelPartRow[]; id: string }>) {
  return parts.map((part, index) => (
    // The parts of a result never change.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <section key={index} className={`label-part ${part.type}`} aria-label={partName(part)}>
      <b className={part.name === null ? '' : 'metric'}>{partName(part)}</b>
      <PartText
        id={`${id} ${index}`}
        part={part}
        isCall={isCall(part)}
        side={null}
        onReveal={null}
        lines={isCall(part) ? undefined : MESSAGE_LINES}
      />
    </section>
  ));
}
