import type { UnscoredGroup } from '../../src/protocol/report-values.ts';
import { formatCount } from '../format.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { Sentence } from './sentence.tsx';
import { ShapeIcon, type ShapeStyle } from './shape-icon.tsx';

const KINDS = {
  error: { shape: 'bang', tone: 'bad', one: 'failed to ask', many: 'failed to ask' },
  cancelled: { shape: 'stop', tone: 'doubtful', one: 'was stopped', many: 'were stopped' },
  needs_judge: { shape: 'question', tone: 'quiet', one: 'needs a judge', many: 'need a judge' },
  needs_embedder: { shape: 'question', tone: 'quiet', one: 'needs an embedder', many: 'need an embedder' },
  needs_reference: { shape: 'question', tone: 'quiet', one: 'needs a reference', many: 'need a reference' },
  not_applicable: { shape: 'dash', tone: 'quiet', one: 'does not apply', many: 'do not apply' },
} as const satisfies Record<UnscoredGroup['status'], ShapeStyle & { one: string; many: string }>;

type UnscoredMetricsProps = Readonly<{ groups: readonly UnscoredGroup[]; of: string }>;

/**
 * How many metrics gave no score: a line for each way to give none, which opens to say why. @param of what they are of.
 */
export function UnscoredMetrics({ groups, of }: UnscoredMetricsProps) {
  if (groups.length === 0) return null;
  return (
    <ul className="without" aria-label="Without a score">
      {groups.map((group) => (
        <UnscoredKind key={group.status} group={group} of={of} />
      ))}
    </ul>
  );
}

function UnscoredKind({ group: { status, metrics, reasons }, of }: Readonly<{ group: UnscoredGroup; of: string }>) {
  const [isOpen, setOpen] = useOpen(`${of}-${status}`, status === 'error');
  const { shape, tone, one, many } = KINDS[status];
  return (
    <li>
      <button type="button" className="opener" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ShapeIcon shape={shape} tone={tone} />
        <span>
          {formatCount(metrics, 'metric')} {metrics === 1 ? one : many}
        </span>
      </button>
      {isOpen
        ? reasons.map(({ reason, metrics: names }) => (
            <p key={reason} className="inner">
              <Sentence text={reason} /> <span className="quiet">{names.join(', ')}</span>
            </p>
          ))
        : null}
    </li>
  );
}
