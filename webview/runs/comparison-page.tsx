import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import * as z from 'zod/mini';
import type { Flip } from '../../src/core/run-comparison.ts';
import {
  type ComparedSide,
  comparedSession,
  compareRuns,
  openRunsPage,
  type RunCommand,
  type RunsCompared,
  type RunsScope,
  runRejudge,
  runRunCommand,
} from '../../src/protocol/runs.ts';
import { LoadError } from '../components/load-error.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { type Tab, TabPanel, Tabs } from '../components/tabs.tsx';
import { formatCount } from '../format.ts';
import { useRequest } from '../hooks/use-request.ts';
import type { RunsHost } from '../host.ts';
import { ChangedSessions } from './changed-sessions.tsx';
import { ComparedMetrics } from './compared-metrics.tsx';
import { CONCLUSION_LABELS } from './conclusions.ts';
import { Flips } from './flips.tsx';
import { JudgeNoiseTab } from './judge-noise.tsx';
import { OnlyIn } from './only-in.tsx';
import type { RunsPageProps } from './page-props.ts';
import { RankedMetrics } from './ranked-metrics.tsx';
import { formatRunTime, shortCommit } from './run-values.ts';
import { TranscriptsPage } from './transcripts-page.tsx';

type ComparisonScope = Extract<RunsScope, { readonly show: 'comparison' }>;

const TABS = ['flips', 'metrics', 'noise', 'only-in'] as const;
type ComparisonTab = (typeof TABS)[number];

/** What is restored after a reload. */
const comparisonView = z.object({
  tab: z.nullable(z.enum(TABS)),
  pair: z.nullable(z.object({ left: comparedSession, right: comparedSession })),
});
type ComparisonView = z.infer<typeof comparisonView>;

/** Runs against the first of them: what to conclude, what changed, and how sure it is. */
export function ComparisonPage({
  host,
  revision,
  onRetry,
  scope,
}: RunsPageProps & Readonly<{ scope: ComparisonScope }>) {
  const { runs } = scope;
  const params = useMemo(() => ({ runs }), [runs]);
  const answer = useRequest(host, compareRuns, params, revision);
  const [view, setView] = useState((): ComparisonView => {
    const { success, data } = z.safeParse(comparisonView, host.initialState.view);
    return success ? data : { tab: null, pair: null };
  });
  useEffect(() => host.saveState({ scope, view }), [host, scope, view]);
  const { pair } = view;
  const scrolled = useRef(0);
  useLayoutEffect(() => {
    if (pair !== null) {
      scrolled.current = window.scrollY;
      const opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      window.scrollTo(0, 0);
      return () => {
        window.scrollTo(0, scrolled.current);
        const row = document.querySelector<HTMLElement>('.flip[tabindex="0"]') ?? opener;
        row?.focus({ preventScroll: true });
      };
    }
    return undefined;
  }, [pair]);
  if (answer.type === 'waiting') {
    return (
      <main>
        <p role="status">{l10n.t('Comparing runs…')}</p>
      </main>
    );
  }
  if (answer.type === 'failed') return <LoadError message={answer.message} onRetry={onRetry} />;
  return (
    <>
      {/* Stays mounted, so that going back finds it as it was. */}
      <div hidden={pair !== null}>
        <Comparison
          host={host}
          compared={answer.value}
          tab={view.tab}
          onTab={(tab) => setView({ ...view, tab })}
          onPair={(left, right) => setView({ ...view, pair: { left, right } })}
        />
      </div>
      {pair === null ? null : (
        <TranscriptsPage
          key={JSON.stringify(pair)}
          host={host}
          revision={revision}
          onRetry={onRetry}
          {...pair}
          onBack={() => setView({ ...view, pair: null })}
        />
      )}
    </>
  );
}

type ComparisonProps = Readonly<{
  host: RunsHost;
  compared: RunsCompared;
  /** Null: the one that says most. */
  tab: ComparisonTab | null;
  onTab: (tab: ComparisonTab) => void;
  onPair: (left: ComparedSide, right: ComparedSide) => void;
}>;

function Comparison({ host, compared, tab, onTab, onPair }: ComparisonProps) {
  const { comparison, unchanged } = compared;
  const { flips, changedSessions, metrics, leaderboard, noise, onlyIn, runs } = comparison;
  const unpaired = onlyIn.reduce((sum, { tasks }) => sum + tasks.length, 0);
  // Where no session could be compared, none is said to be unchanged.
  const changes = flips.length + changedSessions.length;
  const hasFlips = changes > 0 || unchanged !== null;
  const tabs: readonly Tab<ComparisonTab>[] = [
    ...(hasFlips ? [{ id: 'flips' as const, title: l10n.t('Changed Sessions'), count: changes }] : []),
    {
      id: 'metrics',
      title: leaderboard === null ? l10n.t('Metrics') : l10n.t('Ranking'),
      count: Object.keys(leaderboard ?? metrics).length,
    },
    ...(noise === null ? [] : [{ id: 'noise' as const, title: l10n.t('Judge Noise'), count: noise.sessions.length }]),
    { id: 'only-in', title: l10n.t('Not in All'), count: unpaired },
  ];
  // Of more than two runs the ranking comes first.
  const selected = tabs.find(({ id }) => id === tab)?.id ?? (flips.length > 0 ? 'flips' : 'metrics');
  const pairOf = (before: Flip['before'], after: Flip['after'], other = 1): void => {
    const [left, right] = [runs[0], runs[other]];
    if (left && right) onPair(inRun(left.id, before), inRun(right.id, after));
  };
  return (
    <main className="comparison">
      <ComparisonHead host={host} compared={compared} />
      <div className="toolbar">
        <Tabs label={l10n.t('Comparison')} tabs={tabs} selected={selected} onSelect={onTab} />
      </div>
      {hasFlips ? (
        <TabPanel id="flips" isShown={selected === 'flips'}>
          {changedSessions.length > 0 ? (
            <ChangedSessions comparison={comparison} onOpen={pairOf} />
          ) : (
            <Flips flips={flips} unchanged={unchanged} isShown={selected === 'flips'} onOpen={pairOf} />
          )}
        </TabPanel>
      ) : null}
      <TabPanel id="metrics" isShown={selected === 'metrics'}>
        {leaderboard === null ? (
          <ComparedMetrics metrics={metrics} />
        ) : (
          <RankedMetrics leaderboard={leaderboard} runs={runs} />
        )}
      </TabPanel>
      {noise === null ? null : (
        <TabPanel id="noise" isShown={selected === 'noise'}>
          <JudgeNoiseTab noise={noise} onOpen={pairOf} />
        </TabPanel>
      )}
      <TabPanel id="only-in" isShown={selected === 'only-in'}>
        <OnlyIn comparison={comparison} />
      </TabPanel>
    </main>
  );
}

function inRun(run: string, { id, file }: Flip['before']): ComparedSide {
  return { of: 'run', run, session: id, file };
}

/** What the comparison says, and what limits it. */
function ComparisonHead({ host, compared }: Readonly<{ host: RunsHost; compared: RunsCompared }>) {
  const { comparison, headline, runs: rows } = compared;
  const { runs, comparability, pairing } = comparison;
  const notes = comparability.filter(({ reason, rejudge }) => rejudge !== undefined || reason !== headline.text);
  const last = rows.at(-1);
  const label = headline.conclusion === null ? null : CONCLUSION_LABELS[headline.conclusion];
  const command = (run: string, name: RunCommand) => () =>
    void host.request(runRunCommand, { run, command: name }).catch(() => {});
  /** @param at the position of the run to be judged. @param other that of the run that differs from the first. */
  const rejudge = (at: number, other: number) => () => {
    const [first, second] = [runs[0]?.id, runs[other]?.id];
    if (first === undefined || second === undefined) return;
    const isFirst = at === 0;
    const target = { run: isFirst ? first : second, by: isFirst ? second : first, isFirst };
    void host.request(runRejudge, target).catch(() => {});
  };
  return (
    <header className="runs-head">
      <div className="runs-title">
        <h1>
          <PlainText text={titleOf(runs.map((run) => run.label))} />
        </h1>
        {last ? (
          <span className="facts">
            <button type="button" className="more" onClick={command(last.id, 'compareWith')}>
              {l10n.t('Compare With…')}
            </button>
            {last.baseline === 'current' ? null : (
              <button type="button" className="more" onClick={command(last.id, 'setAsBaseline')}>
                {l10n.t('Set as Baseline')}
              </button>
            )}
            <button
              type="button"
              className="more"
              onClick={() =>
                void host.request(openRunsPage, { scope: { show: 'trend', run: last.id } }).catch(() => {})
              }
            >
              {l10n.t('Trend')}
            </button>
          </span>
        ) : null}
      </div>
      <section aria-label={l10n.t('Conclusion')} className="conclusion">
        <p className={`item ${label?.tone ?? 'quiet'}`}>
          {label ? <ShapeIcon {...label} /> : <ShapeIcon shape="dot" tone="quiet" />}
          <b>
            {label ? label.word : ''}
            {label && headline.metric !== null ? <PlainText text={` (${headline.metric})`} /> : null}
            {label ? '. ' : ''}
            <span className="conclusion-text">
              <PlainText text={headline.text} />
            </span>
          </b>
        </p>
        {headline.next === null ? null : (
          <p className="next">
            <PlainText text={headline.next} />
          </p>
        )}
        <p className="facts quiet">
          <span>{l10n.t('{0} in all runs', formatCount(pairing.tasks, 'task'))}</span>
          <span>
            {runs.length === 2 ? formatCount(pairing.sessions, 'pair') : formatCount(pairing.sessions, 'session')}
          </span>
        </p>
      </section>
      <RunsCompactly runs={runs} />
      {notes.length === 0 ? null : (
        <ul className="notes" aria-label={l10n.t('What limits the comparison')}>
          {notes.map((note) => (
            <li key={`${note.code} ${note.run}`} className="item">
              <ShapeIcon
                {...(note.withholds === 'all' || note.withholds.length > 0
                  ? ({ shape: 'stop', tone: 'doubtful' } as const)
                  : ({ shape: 'bang', tone: 'quiet' } as const))}
              />
              <span>
                <PlainText text={note.reason} />{' '}
                {note.withholds === 'all' ? (
                  <b>{l10n.t('Nothing is compared.')}</b>
                ) : note.withholds.length === 0 ? null : (
                  <b>
                    {l10n.t('Not compared:')} <PlainText text={note.withholds.join(', ')} />.
                  </b>
                )}{' '}
                {note.remedy === null ? null : (
                  <span className="quiet">
                    <PlainText text={note.remedy} />
                  </span>
                )}
                {note.rejudge ? (
                  <>
                    {' '}
                    <button type="button" className="more" onClick={rejudge(note.rejudge.run, note.run)}>
                      {l10n.t('Judge Again')}
                    </button>
                  </>
                ) : null}
              </span>
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

/** `v1 → v2`; of more runs all names. */
function titleOf(labels: readonly string[]): string {
  return labels.length === 2 ? labels.join(' → ') : labels.join(', ');
}

/** When each run was, of which code and agent, and whether it is complete. */
function RunsCompactly({ runs }: Pick<RunsCompared['comparison'], 'runs'>) {
  return (
    <ul className="compared-runs quiet">
      {runs.map(({ id, label, startedAt, git, agent, sessions, state }, index) => (
        <li key={id}>
          <b>
            <PlainText text={label} />
          </b>
          {[
            ...(runs.length === 2 ? [index === 0 ? l10n.t('before') : l10n.t('after')] : []),
            // A run without a name is called by its date.
            ...(label.startsWith(startedAt.slice(0, 10)) ? [] : [formatRunTime(startedAt)]),
            ...(git ? [`${shortCommit(git.commit)}${git.dirty ? l10n.t(' (uncommitted changes)') : ''}`] : []),
            ...(agent.version === null || agent.version === label ? [] : [agent.version]),
            formatCount(sessions, 'session'),
            ...(state === 'complete' ? [] : [l10n.t('incomplete')]),
          ].map((fact, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: facts have no other identity
            <span key={at}>
              {' · '}
              <PlainText text={fact} />
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
