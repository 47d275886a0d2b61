import * as l10n from '@vscode/l10n';
import { type ReactNode, useId } from 'react';
import type { ComparedCallRow } from '../../src/protocol/report-values.ts';
import { formatCount } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { ArgumentChanges } from './argument-changes.tsx';
import { PlainText } from './rich-text.tsx';
import { ShapeIcon, type ShapeStyle } from './shape-icon.tsx';

type ExpectedCallsProps = Readonly<{
  /** Unique in the report. */
  id: string;
  title: string;
  calls: readonly ComparedCallRow[];
  omitted: number;
  /** The turn that the calls are shown in; null: each call names its turn. */
  turn: number | null;
}>;

const MATCHES = {
  same: { shape: 'tick', tone: 'good', label: l10n.t('as expected') },
  moved: { shape: 'warning', tone: 'doubtful', label: l10n.t('at another place') },
  arguments: { shape: 'cross', tone: 'bad', label: l10n.t('other arguments') },
  missing: { shape: 'cross', tone: 'bad', label: l10n.t('not made') },
  unexpected: { shape: 'bang', tone: 'quiet', label: l10n.t('not expected') },
} as const satisfies Record<ComparedCallRow['match'], ShapeStyle & { label: string }>;

/** Expected calls beside those that were made. Open where they differ. */
export function ExpectedCalls({ id, title, calls, omitted, turn }: ExpectedCallsProps) {
  const expected = calls.filter(({ match }) => match !== 'unexpected');
  const same = expected.filter(({ match }) => match === 'same').length;
  const [isOpen, setOpen] = useOpen(id, same < expected.length);
  const list = useId();
  return (
    <section className="expected step" aria-label={title}>
      <button
        type="button"
        className="opener"
        aria-expanded={isOpen}
        aria-controls={list}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="name">{title}</span>
        <span className="quiet">
          {expected.length === 0 && omitted === 0
            ? l10n.t('none')
            : l10n.t('{0} of {1} made as expected', same, formatCount(expected.length, 'call'))}
        </span>
      </button>
      {isOpen ? (
        <ul className="inner" id={list}>
          {calls.map((call, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls are identified by their position.
            <Call key={index} call={call} turn={turn} />
          ))}
          {omitted > 0 ? <li className="quiet">{l10n.t('and {0}', formatCount(omitted, 'more call'))}</li> : null}
        </ul>
      ) : null}
    </section>
  );
}

function Call({ call, turn }: Readonly<{ call: ComparedCallRow; turn: number | null }>): ReactNode {
  const { goTo } = useActions();
  const { match, name, arguments: args, turn: made, changes, changesOmitted } = call;
  const { label, ...style } = MATCHES[match];
  return (
    <li>
      <div className="compared">
        <ShapeIcon {...style} />
        <code className="name">
          <PlainText text={name} />
        </code>
        <span className={style.tone}>{label}</span>
        {made === null || turn !== null ? null : (
          <button type="button" className="link" onClick={() => goTo(made)}>
            {l10n.t('turn {0}', made + 1)}
          </button>
        )}
        {changes.length > 0 ? null : (
          <code className="one-line quiet">
            <PlainText text={args} />
          </code>
        )}
      </div>
      {changes.length === 0 ? null : (
        <ArgumentChanges changes={changes} omitted={changesOmitted} names={[l10n.t('expected'), l10n.t('made')]} />
      )}
    </li>
  );
}
