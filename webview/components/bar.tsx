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
