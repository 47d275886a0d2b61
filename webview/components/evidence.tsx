import * as l10n from '@vscode/l10n';
import type { ReportEvidence as Cited } from '../../src/protocol/report-values.ts';
import { formatCount } from '../format.ts';
import { RevealButton } from './reveal.tsx';
import { Sentence } from './sentence.tsx';

type EvidenceProps = Readonly<{
  evidence: readonly Cited[];
  omitted: number;
  /** When the mouse has pressed one of them. */
  onPress?: () => void;
}>;

/** The places that prove what is said, each a way into the JSON. */
export function Evidence({ evidence, omitted, onPress }: EvidenceProps) {
  if (evidence.length === 0) return null;
  return (
    <ul className="evidence" aria-label={l10n.t('Evidence')}>
      {evidence.map(({ note, target }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes may say the same of the same place.
        <li key={index}>
          <RevealButton target={target} onPress={onPress}>
            <span aria-hidden="true">→ </span>
            <Sentence text={note === '' ? l10n.t('evidence') : note} />
          </RevealButton>
        </li>
      ))}
      {omitted > 0 ? <li className="quiet">{l10n.t('and {0}', formatCount(omitted, 'more location'))}</li> : null}
    </ul>
  );
}
