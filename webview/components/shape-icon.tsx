/** Shapes carry the same meaning as colors, so that no information depends on color alone. */
const SHAPES = {
  tick: 'M2 8.5 6 12.5 14 4',
  cross: 'M3 3 13 13 M13 3 3 13',
  question: 'M4.5 5.2a3.5 3.5 0 1 1 5.1 3C8.5 8.8 8 9.4 8 10.8 M8 13.2v1.8',
  dash: 'M3 8h10',
  bang: 'M8 1.5v8.5 M8 12.7v2',
  stop: 'M3.5 3.5h9v9h-9z',
  circle: 'M8 3a5 5 0 1 0 0 10 5 5 0 0 0 0-10z',
  warning: 'M8 2 14.5 13.5h-13z M8 6.5v3.5 M8 11.2v1.2',
  rise: 'M8 3 14 13H2z',
  fall: 'M8 13 2 3h12z',
  unequal: 'M3 6h10 M3 10h10 M11 2.5 5 13.5',
  before: 'M10.5 3 5 8l5.5 5',
  after: 'M5.5 3 11 8l-5.5 5',
  dot: 'M8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
} as const;

/** A shape and a color with the same meaning. */
export interface ShapeStyle {
  readonly shape: keyof typeof SHAPES;
  readonly tone: 'good' | 'doubtful' | 'bad' | 'quiet';
}

/** A decorative icon; its meaning is in the text beside it. */
export function ShapeIcon({ shape, tone }: ShapeStyle) {
  return (
    <svg className={`mark ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[shape]} />
    </svg>
  );
}
