import * as l10n from '@vscode/l10n';
import { useEffect, useMemo, useState } from 'react';
import * as z from 'zod/mini';
import type { RunTrend, TrendPoint } from '../../src/core/run-trend.ts';
import { openRunsPage, type RunsScope, runTrend } from '../../src/protocol/runs.ts';
import { LoadError } from '../components/load-error.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useRequest } from '../hooks/use-request.ts';
import { TraceText } from '../overview/trace-text.tsx';
import { FLIP_LABELS } from './conclusions.ts';
import { Leaderboards } from './leaderboards.tsx';
import type { RunsPageProps } from './page-props.ts';
import { pointFacts } from './point-facts.ts';
import { RunDistribution } from './run-distribution.tsx';
import { formatDifference, formatRunTime, formatRunValue } from './run-values.ts';
import { TrendChart } from './trend-chart.tsx';
import { TrendTable } from './trend-table.tsx';

type TrendScope = Extract<RunsScope, { readonly show: 'trend' }>;

/** What is restored after a reload. */
const trendView = z.object({
  subject: z.nullable(z.string()),
  task: z.nullable(z.string()),
  isTable: z.boolean(),
});
type TrendView = z.infer<typeof trendView>;

/** A metric, a rule or a label over the runs of a project. */
export function TrendPage({ host, revision, onRetry, scope }: RunsPageProps & Readonly<{ scope: TrendScope }>) {
  const { run } = scope;
  const [view, setView] = useState((): TrendView => {
    const { success, data } = z.safeParse(trendView, host.initialState.view);
    return success ? data : { subject: null, task: null, isTable: false };
  });
  useEffect(() => host.saveState({ scope, view }), [host, scope, view]);
  const { subject, task, isTable } = view;
  const params = useMemo(() => ({ run, subject, task }), [run, subject, task]);
  const answer = useRequest(host, runTrend, params, revision);
  /** The run whose value is shown in full; null: the newest. */
  const [chosen, setChosen] = useState<string | null>(null);
  if (answer.type === 'waiting') {
    return (
      <main>
        <p role="status">{l10n.t('Loading the trend…')}</p>
      </main>
    );
  }
  if (answer.type === 'failed') return <LoadError message={answer.message} onRetry={onRetry} />;
  const { trend, subjects } = answer.value;
  if (trend === null || trend.points.length === 0) {
    return (
      <main className="empty">
        <h1>{l10n.t('Trend')}</h1>
        <p>{l10n.t('No recorded run has a value yet. Evaluate traces, and their runs appear here.')}</p>
      </main>
    );
  }
  const { points } = trend;
  const current = points.find((point) => point.run === chosen) ?? points.at(-1);
  const before = points[points.findIndex((point) => point.run === current?.run) - 1];
  return (
    <main className="trend">
      <header className="runs-title">
        <h1>{task === null ? l10n.t('Trend') : <PlainText text={l10n.t('Trend of task {0}', task)} />}</h1>
        <label>
          <span className="quiet">{l10n.t('of')}</span>{' '}
          <select
            value={`${trend.subject.kind} ${trend.subject.name}`}
            onChange={({ target: { value } }) => setView({ ...view, subject: value.slice(value.indexOf(' ') + 1) })}
          >
            {subjectGroups(subjects, trend.subject).map(([kind, names]) => (
              <optgroup key={kind} label={KIND_LABELS[kind]}>
                {names.map((name) => (
                  <option key={name} value={`${kind} ${name}`}>
                    {revealHiddenCharacters(name)}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        {task === null ? null : (
          <button type="button" className="more" onClick={() => setView({ ...view, task: null })}>
            {l10n.t('All Tasks')}
          </button>
        )}
        <button
          type="button"
          className="more table-toggle"
          aria-pressed={isTable}
          onClick={() => setView({ ...view, isTable: !isTable })}
        >
          {isTable ? l10n.t('Show Chart') : l10n.t('Show Table')}
        </button>
      </header>
      <TrendSentence trend={trend} />
      {isTable ? (
        <TrendTable trend={trend} />
      ) : (
        <TrendChart trend={trend} current={current?.run ?? null} onChoose={setChosen} />
      )}
      {current ? (
        <PointDetails
          trend={trend}
          point={current}
          onCompare={
            before
              ? () =>
                  void host
                    .request(openRunsPage, { scope: { show: 'comparison', runs: [before.run, current.run] } })
                    .catch(() => {})
              : null
          }
        />
      ) : null}
      {/* The table has the reasons beside the runs. */}
      {isTable ? null : <Segments trend={trend} />}
      <Versions trend={trend} />
      {current ? (
        <RunDistribution host={host} run={current.run} subject={trend.subject.name} revision={revision} />
      ) : null}
      <Leaderboards host={host} run={run} revision={revision} onTask={(name) => setView({ ...view, task: name })} />
    </main>
  );
}

const KIND_LABELS = {
  metric: l10n.t('Metric'),
  measure: l10n.t('Measure'),
  rule: l10n.t('Sessions with a finding of rule'),
  label: l10n.t('Sessions with label'),
} as const satisfies Record<RunTrend['subject']['kind'], string>;

type SubjectKind = RunTrend['subject']['kind'];

function subjectGroups(
  subjects: readonly { readonly kind: SubjectKind; readonly name: string }[],
  shown: RunTrend['subject'],
): readonly (readonly [SubjectKind, readonly string[]])[] {
  const has = subjects.some(({ kind, name }) => kind === shown.kind && name === shown.name);
  const groups = Map.groupBy(has ? subjects : [shown, ...subjects], ({ kind }) => kind);
  return Array.from(groups, ([kind, members]) => [kind, members.map(({ name }) => name)] as const);
}

/** The newest value, and the last change that chance does not explain. */
function TrendSentence({ trend }: Readonly<{ trend: RunTrend }>) {
  const { changes, notes } = trend;
  const last = changes.at(-1);
  const label = last ? FLIP_LABELS[last.conclusion] : null;
  return (
    <section aria-label={l10n.t('Conclusion')} className="conclusion">
      <p className={`item ${label?.tone ?? 'quiet'}`}>
        {label ? <ShapeIcon {...label} /> : <ShapeIcon shape="dash" tone="quiet" />}
        <b>
          {label ? `${label.word}. ` : ''}
          <span className="conclusion-text">
            {last ? <PlainText text={last.text} /> : l10n.t('No change beyond chance.')}
          </span>
        </b>
      </p>
      {notes.map((note) => (
        <p key={note} className="quiet">
          <PlainText text={note} />
        </p>
      ))}
    </section>
  );
}

type PointDetailsProps = Readonly<{
  trend: RunTrend;
  point: TrendPoint;
  /** Null for the first run. */
  onCompare: (() => void) | null;
}>;

function PointDetails({ trend, point, onCompare }: PointDetailsProps) {
  return (
    <section className="point-details" aria-label={l10n.t('Selected run')}>
      <p className="facts">
        <b>
          <PlainText text={point.name ?? formatRunTime(point.startedAt)} />
        </b>
        {pointFacts(trend, point).map((fact) => (
          <span key={fact}>
            <PlainText text={fact} />
          </span>
        ))}
        {onCompare === null ? null : (
          <button type="button" className="more" onClick={onCompare}>
            {l10n.t('Compare with Previous')}
          </button>
        )}
      </p>
    </section>
  );
}

/** Where runs stop being comparable, and why. */
function Segments({ trend }: Readonly<{ trend: RunTrend }>) {
  const { segments, points } = trend;
  const breaks = segments.filter(({ reasons }) => reasons.length > 0);
  if (breaks.length === 0) return null;
  return (
    <section className="trend-section">
      <h2>{l10n.t('Not comparable with the runs before')}</h2>
      <ul>
        {breaks.map(({ from, reasons }) => {
          const first = points[from];
          return (
            <li key={from}>
              <b>
                <PlainText text={first ? (first.name ?? formatRunTime(first.startedAt)) : ''} />
              </b>{' '}
              <PlainText text={reasons.join(' ')} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Runs grouped by the version of the agent. */
function Versions({ trend }: Readonly<{ trend: RunTrend }>) {
  const { versions, subject, segments, points } = trend;
  if (versions.length === 0) return null;
  const format = (value: number) => formatRunValue(value, subject.unit, subject.scale);
  const sinceOf = (segment: number): string | null => {
    const first = points[segments[segment]?.from ?? -1];
    return first && segments.length > 1 ? l10n.t('since {0}', first.name ?? formatRunTime(first.startedAt)) : null;
  };
  return (
    <section className="trend-section">
      <h2>{l10n.t('By agent version')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="wide-table" tabIndex={0} aria-label={l10n.t('Values by agent version')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t('Version')}</th>
              <th scope="col">{l10n.t('Task')}</th>
              <th scope="col">{l10n.t('Runs')}</th>
              <th scope="col">{l10n.t('Sessions')}</th>
              <th scope="col">{l10n.t('Mean')}</th>
              <th scope="col">{l10n.t('Minimum')}</th>
              <th scope="col">{l10n.t('Maximum')}</th>
              <th scope="col">{l10n.t('Against Earlier')}</th>
            </tr>
          </thead>
          <tbody>
            {versions.map(({ version, task, segment, runs, n, mean, minimum, maximum, deviation }) => (
              <tr key={`${version} ${task} ${segment}`}>
                <th scope="row">
                  <TraceText text={version ?? l10n.t('unknown')} />
                  <span className="quiet lower">{sinceOf(segment)}</span>
                </th>
                <td>{task === null ? <span className="quiet">{l10n.t('all')}</span> : <TraceText text={task} />}</td>
                <td>{runs.toLocaleString('en')}</td>
                <td>{n.toLocaleString('en')}</td>
                <td>{format(mean)}</td>
                <td>{format(minimum)}</td>
                <td>{format(maximum)}</td>
                <td>{deviation === null ? '–' : formatDifference(deviation, subject.unit, subject.scale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
