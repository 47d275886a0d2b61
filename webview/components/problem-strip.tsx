import * as l10n from '@vscode/l10n';
import type { ProblemStrip as Turns } from '../../src/protocol/report.ts';
import { useWidth } from '../hooks/use-width.ts';
import { type Bucket, toBuckets } from '../strip-buckets.ts';
import { StripRow } from './strip-row.tsx';

/** The width of a cell in pixels: with a turn number, without, and for a group of turns. */
const WIDE = 24;
const NARROW = 12;
const LEAST = 8;

type ProblemStripProps = Readonly<{
  strip: Turns;
  selected: number | null;
  onSelect: (turn: number) => void;
}>;

/**
 * The risk of every turn at a glance. If there are too many turns for a cell each, one row shows all of them in groups
 * and a second row shows the turns around the selected one.
 */
export function ProblemStripView({ strip, selected, onSelect }: ProblemStripProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  return (
    <section className="strip" aria-label={l10n.t('Risk strip')}>
      <div className="rows" ref={element}>
        {width === 0
          ? null
          : stripRows(strip, width, selected).map((row) => (
              <StripRow key={row.size} {...row} selected={selected} onSelect={onSelect} />
            ))}
      </div>
    </section>
  );
}

interface Row {
  readonly label: string;
  readonly size: 'wide' | 'narrow' | 'least';
  readonly buckets: readonly Bucket[];
}

function stripRows(strip: Turns, width: number, selected: number | null): Row[] {
  const { turns } = strip;
  if (turns * NARROW <= width) {
    const size = turns * WIDE <= width ? 'wide' : 'narrow';
    return [{ label: l10n.t('Risk of each turn'), size, buckets: toBuckets(strip, 0, turns, turns) }];
  }
  // Parts do not overlap, so cells stay in place until a turn of another part is selected.
  const part = Math.floor(width / NARROW);
  const first = Math.floor((selected ?? 0) / part) * part;
  const end = Math.min(turns, first + part);
  const all = toBuckets(strip, 0, turns, Math.floor(width / LEAST));
  return [
    { label: l10n.t('Risk of all turns, in groups'), size: 'least', buckets: all },
    {
      label: l10n.t('Risk of turns {0} to {1}', first + 1, end),
      size: 'narrow',
      buckets: toBuckets(strip, first, end, part),
    },
  ];
}
