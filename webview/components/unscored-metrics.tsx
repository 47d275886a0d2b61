import * as l10n from '@vscode/l10n';
import type { UnscoredGroup } from '../../src/protocol/report-values.ts';
import { formatCount } from '../format.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { Sentence } from './sentence.tsx';
import { ShapeIcon, type ShapeStyle } from './shape-icon.tsx';

const KINDS = {
  error: {
    shape: 'bang',
    tone: 'bad',
    one: (metrics) => l10n.t('{0} had a model error', metrics),
    many: (metrics) => l10n.t('{0} had a model error', metrics),
  },
  cancelled: {
    shape: 'stop',
    tone: 'doubtful',
    one: (metrics) => l10n.t('{0} was stopped', metrics),
    many: (metrics) => l10n.t('{0} were stopped', metrics),
  },
  needs_judge: {
    shape: 'question',
    tone: 'quiet',
    one: (metrics) => l10n.t('{0} needs a judge', metrics),
    many: (metrics) => l10n.t('{0} need a judge', metrics),
  },
  needs_embedder: {
    shape: 'question',
    tone: 'quiet',
    one: (metrics) => l10n.t('{0} needs an embedder', metrics),
    many: (metrics) => l10n.t('{0} need an embedder', metrics),
  },
  needs_reference: {
    shape: 'question',
    tone: 'quiet',
    one: (metrics) => l10n.t('{0} needs a reference', metrics),
    many: (metrics) => l10n.t('{0} need a reference', metrics),
  },
  needs_attempts: {
    shape: 'question',
    tone: 'quiet',
    one: (metrics) => l10n.t('{0} needs other attempts', metrics),
    many: (metrics) => l10n.t('{0} need other attempts', metrics),
  },
  not_applicable: {
    shape: 'dash',
    tone: 'quiet',
    one: (metrics) => l10n.t('{0} does not apply', metrics),
    many: (metrics) => l10n.t('{0} do not apply', metrics),
  },
} as const satisfies Record<UnscoredGroup['status'], ShapeStyle & Record<'one' | 'many', (metrics: string) => string>>;

type UnscoredMetricsProps = Readonly<{ groups: readonly UnscoredGroup[]; of: string }>;

/** Metrics without a score, by status; each opens to show the reasons. @param of a prefix for state keys. */
export function UnscoredMetrics({ groups, of }: UnscoredMetricsProps) {
  if (groups.length === 0) return null;
  return (
    <ul className="without" aria-label={l10n.t('Metrics without a score')}>
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
        <span>{(metrics === 1 ? one : many)(formatCount(metrics, 'metric'))}</span>
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
