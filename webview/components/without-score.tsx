import type { Unscored } from '../../src/protocol/report-values.ts';
import { useOpen } from '../hooks/use-kept.ts';
import { counted } from '../words.ts';
import { type Look, Mark } from './mark.tsx';
import { Sentence } from './sentence.tsx';

const KINDS = {
  error: { shape: 'bang', tone: 'bad', one: 'failed to ask', many: 'failed to ask' },
  cancelled: { shape: 'stop', tone: 'doubtful', one: 'was stopped', many: 'were stopped' },
  needs_judge: { shape: 'question', tone: 'quiet', one: 'needs a judge', many: 'need a judge' },
  needs_embedder: { shape: 'question', tone: 'quiet', one: 'needs an embedder', many: 'need an embedder' },
  needs_reference: { shape: 'question', tone: 'quiet', one: 'needs a reference', many: 'need a reference' },
  not_applicable: { shape: 'dash', tone: 'quiet', one: 'does not apply', many: 'do not apply' },
} as const satisfies Record<Unscored['status'], Look & { one: string; many: string }>;

type WithoutScoreProps = Readonly<{ groups: readonly Unscored[]; of: string }>;

/**
 * How many metrics gave no score: a line for each way to give none, which opens to say why. @param of what they are of.
 */
export function WithoutScore({ groups, of }: WithoutScoreProps) {
  if (groups.length === 0) return null;
  return (
    <ul className="without" aria-label="Without a score">
      {groups.map((group) => (
        <Kind key={group.status} group={group} of={of} />
      ))}
    </ul>
  );
}

function Kind({ group: { status, metrics, reasons }, of }: Readonly<{ group: Unscored; of: string }>) {
  const [isOpen, setOpen] = useOpen(`${of}-${status}`, status === 'error');
  const { shape, tone, one, many } = KINDS[status];
  return (
    <li>
      <button type="button" className="opener" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Mark shape={shape} tone={tone} />
        <span>
          {counted(metrics, 'metric')} {metrics === 1 ? one : many}
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
