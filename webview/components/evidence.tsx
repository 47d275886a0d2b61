import * as l10n from '@vscode/l10n';
import type { ReportEvidence } from '../../src/protocol/report-values.ts';
import { formatCount } from '../format.ts';
import { RevealButton } from './reveal.tsx';
import { Sentence } from './sentence.tsx';

type EvidenceProps = Readonly<{
  evidence: readonly ReportEvidence[];
  omitted: number;
  /** Called after a mouse click on a link. */
  onPress?: () => void;
}>;

/** Links to the evidence in the JSON. */
export function Evidence({ evidence, omitted, onPress }: EvidenceProps) {
  if (evidence.length === 0) return null;
  return (
    <ul className="evidence" aria-label={l10n.t('Evidence')}>
      {evidence.map(({ note, target }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may have the same note and target.
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
