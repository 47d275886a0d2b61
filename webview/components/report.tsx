import * as l10n from '@vscode/l10n';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { openLink } from '../../src/protocol/panel.ts';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { ActionsContext } from '../hooks/use-actions.ts';
import { useMedia } from '../hooks/use-media.ts';
import { useReportActions } from '../hooks/use-report-actions.ts';
import { useReportKeys } from '../hooks/use-report-keys.ts';
import { emptyRowState, RowStateContext } from '../hooks/use-row-state.ts';
import { useSearch } from '../hooks/use-search.ts';
import { useSelection } from '../hooks/use-selection.ts';
import { useSticky } from '../hooks/use-sticky.ts';
import { useTabScroll } from '../hooks/use-tab-scroll.ts';
import { useTurns } from '../hooks/use-turns.ts';
import { useView } from '../hooks/use-view.ts';
import type { Host } from '../host.ts';
import { FindContext } from './find-context.ts';
import { Headline, HeadlineFacts } from './headline.tsx';
import { KeysHelp } from './keys-help.tsx';
import { MetricsTab } from './metrics-tab.tsx';
import { NextSteps } from './next-steps.tsx';
import { ProblemStripView } from './problem-strip.tsx';
import { ProblemsTab } from './problems-tab.tsx';
import { Prompt } from './prompt.tsx';
import { LinkContext } from './rich-text.tsx';
import { RunTab } from './run-tab.tsx';
import { Signals } from './signals.tsx';
import { TabPanel } from './tabs.tsx';
import { TimelineTab } from './timeline-tab.tsx';
import { Title } from './title.tsx';
import { Toasts } from './toasts.tsx';
import { Toolbar } from './toolbar.tsx';
import { Transcript } from './transcript.tsx';
import { TranscriptContext } from './transcript-context.ts';
import { Turns } from './turns.tsx';
import { WorstProblems } from './worst-problems.tsx';

type ReportProps = Readonly<{
  host: Host;
  session: string;
  /** Zero-based index of the turn selected at first; null: that of the first problem. */
  initialTurn: number | null;
  header: ReportHeader;
}>;

/** The report of a session: its summary, and tabs with the transcript and details. */
export function Report({ host, session, initialTurn, header }: ReportProps) {
  const { strip, revision } = header;
  const rows = useTurns(host, session, strip.turns);
  const isLoaded = useCallback((turn: number) => rows.rowAt(turn) !== undefined, [rows]);
  const parts = { host, session, turns: strip.turns, initialTurn, firstTurn: firstTurn(header) };
  const selection = useSelection(parts, isLoaded);
  const { turn: selected, select } = selection;
  const view = useView(host, session, selected);
  const { tab, change } = view;
  const filtered = useSearch(host, session, revision, view.shownQuery);
  const search = useSearch(host, session, revision, view.searchQuery);
  const visibleTurns = useShownTurns(strip.turns, filtered.matches?.turns ?? null, selected);

  const goTo = useCallback(
    (turn: number, problem: number | null = null) => {
      change({ tab: 'transcript' });
      select(turn, 'focus', problem);
    },
    [change, select],
  );
  const { actions, chosen, promptTarget, closePrompt, ...notices } = useReportActions(host, session, goTo);
  const show = useCallback(
    (turn: number) => {
      change({ tab: 'transcript' });
      select(turn, 'show');
    },
    [change, select],
  );
  const mark = useCallback((turn: number) => select(turn, 'mark'), [select]);
  const followLink = useCallback((url: string) => void host.request(openLink, { url }).catch(() => {}), [host]);

  const onProblems = useCallback(() => change({ tab: 'failures' }), [change]);

  const [isHelpOpen, setHelpOpen] = useState(false);
  const onHelp = useCallback(() => setHelpOpen(true), []);
  const [isFilterOpen, setFilterOpen] = useState(false);
  const onFilter = useCallback(() => {
    change({ tab: 'transcript' });
    setFilterOpen(true);
  }, [change]);
  const [rowState] = useState(emptyRowState);
  const isWide = useMedia('(min-width: 800px)');
  const sticky = useSticky<HTMLDivElement>();
  useTabScroll(tab);
  useReportKeys({ reveal: actions.reveal, header, shown: visibleTurns, selection, rows, change, onFilter, onHelp });
  useAnnounceFinished(header, actions.announce);

  // A single turn shows its own scores.
  const signals = strip.turns < 2 ? null : <Signals revision={revision} selected={selected} onSelect={show} />;
  const facts = <HeadlineFacts header={header} onProblems={onProblems} />;
  return (
    <ActionsContext value={actions}>
      <LinkContext value={followLink}>
        <RowStateContext value={rowState}>
          <FindContext value={view.text}>
            <TranscriptContext value={Transcript}>
              <Title header={header} onHelp={onHelp} />
              <main>
                <Headline header={header}>{isWide ? facts : null}</Headline>
                <div className="summary">
                  {isWide ? null : facts}
                  <WorstProblems header={header} onProblems={onProblems} />
                  <NextSteps header={header} />
                </div>
                <div className="sticky" ref={sticky}>
                  <ProblemStripView strip={strip} selected={selected} onSelect={goTo} />
                  <Toolbar
                    header={header}
                    view={view}
                    filtered={filtered}
                    search={search}
                    selected={selected}
                    onSelect={show}
                    isFilterOpen={isFilterOpen}
                    onFilterOpen={setFilterOpen}
                  />
                  <Toasts
                    announcement={notices.announcement}
                    error={notices.error}
                    onAnnounced={notices.clearAnnouncement}
                    onDismissError={notices.clearError}
                  />
                </div>
                <div className="panels">
                  <TabPanel id="transcript" isShown={tab === 'transcript'}>
                    {strip.turns === 0 ? <p className="nothing">{l10n.t('This session has no turns.')}</p> : null}
                    {strip.turns > 0 && visibleTurns.length === 0 ? (
                      <p className="nothing">{l10n.t('No turn matches the filter.')}</p>
                    ) : null}
                    <Turns
                      shown={visibleTurns}
                      rows={rows}
                      selected={selected}
                      chosen={chosen?.turn === selected ? chosen : null}
                      hit={search.matches?.hits.find(({ turn }) => turn === selected) ?? null}
                      onSelect={mark}
                    />
                  </TabPanel>
                  <TabPanel id="failures" isShown={tab === 'failures'}>
                    <ProblemsTab
                      revision={revision}
                      isShown={tab === 'failures'}
                      hasMissedCalls={header.missedCalls !== undefined}
                    />
                  </TabPanel>
                  <TabPanel id="metrics" isShown={tab === 'metrics'}>
                    {signals}
                    <MetricsTab revision={revision} isShown={tab === 'metrics'} />
                  </TabPanel>
                  <TabPanel id="timeline" isShown={tab === 'timeline'}>
                    <TimelineTab revision={revision} turns={strip.turns} isShown={tab === 'timeline'} />
                  </TabPanel>
                  <TabPanel id="run" isShown={tab === 'run'}>
                    <RunTab header={header} isShown={tab === 'run'} />
                  </TabPanel>
                </div>
              </main>
              {isHelpOpen ? <KeysHelp onClose={() => setHelpOpen(false)} /> : null}
              {promptTarget === null ? null : <Prompt {...promptTarget} onClose={closePrompt} />}
            </TranscriptContext>
          </FindContext>
        </RowStateContext>
      </LinkContext>
    </ActionsContext>
  );
}

/** The turn that the headline names, else the first with a problem; null: there is none. */
function firstTurn({ headline, strip }: ReportHeader): number | null {
  if (headline.turn !== null) return headline.turn;
  const index = strip.problems.findIndex((count) => count > 0);
  return index < 0 ? null : index;
}

/** The shown turns: the matches (null: all), and the selected turn even if it does not match. */
function useShownTurns(turns: number, matches: readonly number[] | null, selected: number | null): readonly number[] {
  const all = useMemo(() => Array.from({ length: turns }, (_, turn) => turn), [turns]);
  return useMemo(() => {
    if (matches === null) return all;
    const within = matches.filter((turn) => turn < turns);
    if (within.length === 0 || selected === null || within.includes(selected)) return within;
    return [...within, selected].sort((a, b) => a - b);
  }, [all, matches, turns, selected]);
}

/** Announces the end of an evaluation. */
function useAnnounceFinished(
  { turnsDone, headline: { text }, run: { complete } }: ReportHeader,
  announce: (sentence: string) => void,
): void {
  const isRunning = turnsDone !== null;
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      announce(complete ? l10n.t('Evaluation finished. {0}', text) : l10n.t('Evaluation stopped. {0}', text));
    }
    wasRunning.current = isRunning;
  }, [isRunning, text, complete, announce]);
}
