import * as l10n from '@vscode/l10n';
import type { ArgumentChangeRow } from '../../src/protocol/report-values.ts';
import { formatCount } from '../format.ts';
import { PlainText } from './rich-text.tsx';

type ArgumentChangesProps = Readonly<{
  changes: readonly ArgumentChangeRow[];
  omitted: number;
  /** What the two values are: "before" and "now", or "expected" and "made". */
  names: readonly [before: string, after: string];
}>;

/** The arguments that differ between two calls. */
export function ArgumentChanges({ changes, omitted, names: [before, after] }: ArgumentChangesProps) {
  return (
    <ul className="changes">
      {changes.map(({ name, before: old, after: next }) => (
        <li key={name ?? ''}>
          {name === null ? null : (
            <code className="name">
              <PlainText text={name} />
            </code>
          )}{' '}
          <Value label={before} text={old} /> <Value label={after} text={next} />
        </li>
      ))}
      {omitted > 0 ? <li className="quiet">{l10n.t('and {0}', formatCount(omitted, 'more argument'))}</li> : null}
    </ul>
  );
}

function Value({ label, text }: Readonly<{ label: string; text: string | null }>) {
  return (
    <span>
      <span className="quiet">{label}</span>{' '}
      {text === null ? (
        <span className="quiet">{l10n.t('none')}</span>
      ) : (
        <code dir="auto">
          <PlainText text={text} />
        </code>
      )}
    </span>
  );
}
