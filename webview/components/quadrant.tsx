import * as l10n from '@vscode/l10n';
import { Sentence } from './sentence.tsx';

const SIZE = 48;

type QuadrantProps = Readonly<{ reliability: number; consistency: number; sentence: string }>;

/** A plot of reliability (vertical) against consistency (horizontal). */
export function Quadrant({ reliability, consistency, sentence }: QuadrantProps) {
  return (
    <section className="quadrant" aria-label={l10n.t('Reliability and consistency')}>
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} aria-hidden="true">
        <path d={`M.5 .5h${SIZE - 1}v${SIZE - 1}h-${SIZE - 1}z M${SIZE / 2} 0v${SIZE} M0 ${SIZE / 2}h${SIZE}`} />
        <circle cx={4 + consistency * (SIZE - 8)} cy={SIZE - 4 - reliability * (SIZE - 8)} r="3.5" />
      </svg>
      <p>
        <Sentence text={sentence} />
        <br />
        <span className="quiet">
          {l10n.t('reliability {0} · consistency {1}', reliability.toFixed(2), consistency.toFixed(2))}
        </span>
      </p>
    </section>
  );
}
