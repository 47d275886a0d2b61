import * as l10n from '@vscode/l10n';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import * as z from 'zod/mini';
import { openRunsPage, type RunsScope } from '../../src/protocol/runs.ts';
import {
  evaluateScope,
  type OverviewFilter,
  type OverviewQuery,
  type OverviewSort,
  type OverviewSummary,
  overviewState,
  overviewSummary,
} from '../../src/protocol/sessions-overview.ts';
import { LoadError } from '../components/load-error.tsx';
import { formatCount } from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { useRequest } from '../hooks/use-request.ts';
import { connect, type OverviewHost } from '../host.ts';
import { COLUMN_ORDER } from './columns.ts';
import { FIND_SESSION_ID, OverviewFilters } from './overview-filters.tsx';
import { Scores } from './scores.tsx';
import { SessionsTable } from './sessions-table.tsx';

const DEFAULT_QUERY: OverviewQuery = {
  sort: { column: 'outcome', isReversed: false },
  filter: {},
  isGrouped: true,
  expanded: [],
};

/** @param scope the URI of a file or a folder; null: all results. */
export function openOverview(scope: string | null): ReactNode {
  const host: OverviewHost = connect((saved) => {
    const { success, data } = z.safeParse(overviewState, saved);
    return success && data.scope === scope ? data : { scope };
  });
  return <OverviewApp host={host} />;
}

/** The table of the sessions of a file, a folder or the workspace. */
export function OverviewApp({ host }: Readonly<{ host: OverviewHost }>) {
  const { scope } = host.initialState;
  const [revision, setRevision] = useState(0);
  useEffect(
    () =>
      host.onEvent(({ event }) => {
        if (event === 'changed') setRevision((before) => before + 1);
      }),
    [host],
  );
  const params = useMemo(() => ({ scope }), [scope]);
  const answer = useRequest(host, overviewSummary, params, revision);
  if (answer.type === 'waiting') {
    return (
      <main>
        <p role="status">{l10n.t('Loading sessions…')}</p>
      </main>
    );
  }
  if (answer.type === 'failed') {
    return <LoadError message={answer.message} onRetry={() => setRevision((before) => before + 1)} />;
  }
  if (answer.value.sessions === 0) return <NoSessions host={host} />;
  return <Overview host={host} summary={answer.value} revision={revision} />;
}

type OverviewProps = Readonly<{ host: OverviewHost; summary: OverviewSummary; revision: number }>;

function Overview({ host, summary, revision }: OverviewProps) {
  const { scope } = host.initialState;
  const [query, setQuery] = useState(host.initialState.query ?? DEFAULT_QUERY);
  const [matching, setMatching] = useState<number | null>(null);
  useEffect(() => host.saveState({ scope, query }), [host, scope, query]);
  const onFilter = useCallback((filter: OverviewFilter) => setQuery((before) => ({ ...before, filter })), []);
  const onSort = useCallback((sort: OverviewSort) => setQuery((before) => ({ ...before, sort })), []);
  const onGroup = useCallback((isGrouped: boolean) => setQuery((before) => ({ ...before, isGrouped })), []);
  const onToggle = useCallback(
    (task: string) =>
      setQuery((before) => {
        const others = before.expanded.filter((one) => one !== task);
        return { ...before, expanded: others.length === before.expanded.length ? [...others, task] : others };
      }),
    [],
  );
  const [areScoresOpen, setScoresOpen] = useState(false);
  const [picked, setPicked] = useState<readonly string[]>([]);
  // A third one takes the place of the first.
  const onPick = useCallback(
    (session: string) =>
      setPicked((before) =>
        before.includes(session) ? before.filter((one) => one !== session) : [...before, session].slice(-2),
      ),
    [],
  );
  useKeys(KEYS);
  // An HTML report has the run above the sessions.
  const Section = host.surface === 'editor' ? 'main' : 'section';
  return (
    <Section className="sessions">
      <header className="sessions-title">
        {host.surface === 'editor' ? <h1>{scopeTitle(scope)}</h1> : <h2>{l10n.t('Sessions')}</h2>}
        <span className="quiet">{formatCount(summary.sessions, 'session')}</span>
        <span role="status" className="quiet">
          {summary.running === 0 ? '' : l10n.t('Evaluating {0}…', formatCount(summary.running, 'session'))}
        </span>
        <PickedSessions host={host} picked={picked} onClear={() => setPicked([])} />
        <button
          type="button"
          className="opener scores-opener"
          aria-expanded={areScoresOpen}
          onClick={() => setScoresOpen(!areScoresOpen)}
        >
          {l10n.t('Scores')}
        </button>
      </header>
      {areScoresOpen ? <Scores host={host} scope={scope} revision={revision} /> : null}
      <OverviewFilters
        summary={summary}
        query={query}
        matching={matching}
        onFilter={onFilter}
        onSort={onSort}
        onGroup={onGroup}
      />
      {summary.tasks > 0 && query.isGrouped ? (
        <p className="quiet attempts-legend">
          {l10n.t(
            'pass@k: at least one of k attempts succeeds. pass^k: all k do. Attempts agree if they change the same things. Strategy is 1 if all attempts call the same tools in the same order.',
          )}
        </p>
      ) : null}
      <SessionsTable
        host={host}
        columns={COLUMN_ORDER.filter((column) => summary.columns.includes(column))}
        query={query}
        revision={revision}
        onSort={onSort}
        onMatching={setMatching}
        onToggle={onToggle}
        picked={picked}
        onPick={onPick}
      />
    </Section>
  );
}

type PickedSessionsProps = Readonly<{ host: OverviewHost; picked: readonly string[]; onClear: () => void }>;

/** How many sessions are chosen to be compared; two can be. */
function PickedSessions({ host, picked, onClear }: PickedSessionsProps) {
  const [left, right] = picked;
  const compare = (): void => {
    if (left === undefined || right === undefined) return;
    const scope: RunsScope = {
      show: 'transcripts',
      left: { of: 'results', key: left },
      right: { of: 'results', key: right },
    };
    void host.request(openRunsPage, { scope }).catch(() => {});
  };
  return (
    <span className="picked">
      <span role="status" className="quiet">
        {left === undefined
          ? ''
          : right === undefined
            ? l10n.t('1 session selected. Select another one to compare.')
            : l10n.t('2 sessions selected')}
      </span>
      {left === undefined || right === undefined ? null : (
        <button type="button" className="primary" onClick={compare}>
          {l10n.t('Compare')}
        </button>
      )}
      {left === undefined ? null : (
        <button type="button" className="more" onClick={onClear}>
          {l10n.t('Clear')}
        </button>
      )}
    </span>
  );
}

const KEYS = new Map([['/', () => document.getElementById(FIND_SESSION_ID)?.focus()]]);

/** `Sessions in refund.json` */
function scopeTitle(scope: string | null): string {
  if (scope === null) return l10n.t('All Sessions');
  const name =
    decodeURIComponent(new URL(scope).pathname)
      .split('/')
      .findLast((part) => part !== '') ?? '/';
  return l10n.t('Sessions in {0}', revealHiddenCharacters(name));
}

/** Shown if nothing was evaluated, with a button to do so. */
function NoSessions({ host }: Readonly<{ host: OverviewHost }>) {
  const [isBusy, setBusy] = useState(false);
  const evaluate = (): void => {
    setBusy(true);
    void host
      .request(evaluateScope, {})
      .catch(() => {})
      .finally(() => setBusy(false));
  };
  return (
    <main className="empty">
      <h1>{scopeTitle(host.initialState.scope)}</h1>
      <p>{l10n.t('No session has results yet.')}</p>
      <button type="button" className="primary" disabled={isBusy} onClick={evaluate}>
        {isBusy ? l10n.t('Evaluating…') : l10n.t('Evaluate')}
      </button>
    </main>
  );
}
