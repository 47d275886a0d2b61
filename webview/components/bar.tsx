import * as l10n from '@vscode/l10n';
import { riskTone } from '../format.ts';

type BarProps = Readonly<{
  value: number;
  range: readonly [min: number, max: number];
  threshold: number | null;
  tone: 'good' | 'doubtful' | 'bad' | 'quiet' | 'hollow';
}>;

const WIDTH = 80;
const HEIGHT = 8;

/** A score on its scale with a line at its threshold; hollow if there was nothing to judge. */
export function Bar({ value, range: [min, max], threshold, tone }: BarProps) {
  const at = (score: number): number => WIDTH * Math.min(1, Math.max(0, (score - min) / (max - min)));
  return (
    <svg className={`bar ${tone}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect className="track" x="0.5" y="0.5" width={WIDTH - 1} height={HEIGHT - 1} />
      {tone === 'hollow' ? null : <rect width={at(value)} height={HEIGHT} />}
      {tone === 'hollow' || threshold === null ? null : <path d={`M${at(threshold)} 0V${HEIGHT}`} />}
    </svg>
  );
}

/** A risk from 0 to 1, or a note that there is none. */
export function Risk({ risk }: Readonly<{ risk: number | null }>) {
  if (risk === null) return <span className="risk quiet">{l10n.t('no risk score')}</span>;
  return (
    <span className="risk">
      {l10n.t('risk')} <b>{risk.toFixed(2)}</b>{' '}
      <Bar value={risk} range={[0, 1]} threshold={null} tone={riskTone(risk)} />
    </span>
  );
}
