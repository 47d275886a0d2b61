import * as l10n from '@vscode/l10n';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { openLink } from '../../src/protocol/panel.ts';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { formatCount, VERDICT_LABELS } from '../format.ts';
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
import { KeysHelp } from './keys-help.tsx';
import { MetricsTab } from './metrics-tab.tsx';
import { ProblemGroups } from './problem-groups.tsx';
import { ProblemStripView } from './problem-strip.tsx';
import { Prompt } from './prompt.tsx';
import { LinkContext } from './rich-text.tsx';
import { RunTab } from './run-tab.tsx';
import { Signals } from './signals.tsx';
import { Summary } from './summary.tsx';
import { TabPanel } from './tabs.tsx';
import { Title } from './title.tsx';
import { Toasts } from './toasts.tsx';
import { Toolbar } from './toolbar.tsx';
import { Transcript } from './transcript.tsx';
import { TranscriptContext } from './transcript-context.ts';
import { Turns } from './turns.tsx';

type ReportProps = Readonly<{
  host: Host;
  session: string;
  /** Zero-based index of the turn to begin at. */
  opened: number | null;
  header: ReportHeader;
  onSwitch: (session: string) => void;
  /** The person has just chosen this session among others, where the focus was. */
  isChosen: boolean;
}>;

/** The report of a session: what is said of it at the head, then its turns, or something else about it. */
export function Report({ host, session, opened, header, onSwitch, isChosen }: ReportProps) {
  const { strip, revision } = header;
  const rows = useTurns(host, session, strip.turns);
  const isHere = useCallback((turn: number) => rows.rowAt(turn) !== undefined, [rows]);
  const selection = useSelection({ host, session, turns: strip.turns, opened }, isHere);
  const { turn: selected, select } = selection;
  const view = useView(host, session, selected);
  const { tab, change } = view;
  const filtered = useSearch(host, session, revision, view.shownIf);
  const sought = useSearch(host, session, revision, view.soughtIn);
  const shown = useShownTurns(strip.turns, filtered.found?.turns ?? null, selected);

  const goTo = useCallback(
    (turn: number) => {
      change({ tab: 'transcript' });
      select(turn, 'focus');
    },
    [change, select],
  );
  const { actions, chosen, asked, closePrompt, ...notices } = useReportActions(host, session, goTo);
  const show = useCallback(
    (turn: number) => {
      change({ tab: 'transcript' });
      select(turn, 'show');
    },
    [change, select],
  );
  const mark = useCallback((turn: number) => select(turn, 'mark'), [select]);
  const follow = useCallback((url: string) => void host.request(openLink, { url }).catch(() => {}), [host]);

  const [isHelp, setHelp] = useState(false);
  const onHelp = useCallback(() => setHelp(true), []);
  const [isFilterOpen, setFilterOpen] = useState(false);
  const onFilter = useCallback(() => {
    change({ tab: 'transcript' });
    setFilterOpen(true);
  }, [change]);
  const [kept] = useState(emptyRowState);
  const isWide = useMedia('(min-width: 800px)');
  const sticky = useSticky<HTMLDivElement>();
  useTabScroll(tab);
  useReportKeys({ host, session, header, shown, selection, rows, change, onFilter, onHelp });
  useAnnounceFinished(header, actions.announce);

  // What is at its only turn is said there.
  const signals = strip.turns < 2 ? null : <Signals revision={revision} selected={selected} onSelect={show} />;
  return (
    <ActionsContext value={actions}>
      <LinkContext value={follow}>
        <RowStateContext value={kept}>
          <FindContext value={view.text}>
            <TranscriptContext value={Transcript}>
              <Title header={header} onSwitch={onSwitch} onHelp={onHelp} isChosen={isChosen} />
              <main>
                <Summary header={header} />
                <div className="sticky" ref={sticky}>
                  <div className="overview">
                    <ProblemStripView strip={strip} selected={selected} onSelect={show} />
                    {isWide ? signals : null}
                  </div>
                  <Toolbar
                    header={header}
                    view={view}
                    filtered={filtered}
                    sought={sought}
                    selected={selected}
                    onSelect={show}
                    isFilterOpen={isFilterOpen}
                    onFilterOpen={setFilterOpen}
                  />
                  <Toasts
                    said={notices.said}
                    refused={notices.refused}
                    onSaid={notices.forgetSaid}
                    onRefused={notices.forgetRefused}
                  />
                </div>
                <div className="panels">
                  <TabPanel id="transcript" isShown={tab === 'transcript'}>
                    {strip.turns === 0 ? <p className="nothing">{l10n.t('This session has no turns.')}</p> : null}
                    {strip.turns > 0 && shown.length === 0 ? (
                      <p className="nothing">{l10n.t('No turn matches the filter.')}</p>
                    ) : null}
                    <Turns
                      strip={strip}
                      shown={shown}
                      rows={rows}
                      selected={selected}
                      chosen={chosen?.turn === selected ? chosen : null}
                      hit={sought.found?.hits.find(({ turn }) => turn === selected) ?? null}
                      onSelect={mark}
                    />
                  </TabPanel>
                  <TabPanel id="failures" isShown={tab === 'failures'}>
                    <ProblemGroups revision={revision} isShown={tab === 'failures'} />
                  </TabPanel>
                  <TabPanel id="metrics" isShown={tab === 'metrics'}>
                    {isWide ? null : signals}
                    <MetricsTab revision={revision} isShown={tab === 'metrics'} />
                  </TabPanel>
                  <TabPanel id="run" isShown={tab === 'run'}>
                    <RunTab header={header} />
                  </TabPanel>
                </div>
              </main>
              {isHelp ? <KeysHelp onClose={() => setHelp(false)} /> : null}
              {asked === null ? null : <Prompt {...asked} onClose={closePrompt} />}
            </TranscriptContext>
          </FindContext>
        </RowStateContext>
      </LinkContext>
    </ActionsContext>
  );
}

/** The turns that are shown: those that were found, and the one that was selected nonetheless; null: all. */
function useShownTurns(turns: number, found: readonly number[] | null, selected: number | null): readonly number[] {
  const all = useMemo(() => Array.from({ length: turns }, (_, turn) => turn), [turns]);
  return useMemo(() => {
    if (found === null) return all;
    const within = found.filter((turn) => turn < turns);
    if (selected === null || within.includes(selected)) return within;
    return [...within, selected].sort((a, b) => a - b);
  }, [all, found, turns, selected]);
}

/** An evaluation that has ended is said once. */
function useAnnounceFinished(
  { turnsDone, verdict, failures }: ReportHeader,
  announce: (sentence: string) => void,
): void {
  const isGoing = turnsDone !== null;
  const was = useRef(isGoing);
  useEffect(() => {
    if (was.current && !isGoing)
      announce(l10n.t('Evaluation finished: {0}, {1}.', VERDICT_LABELS[verdict], formatCount(failures, 'problem')));
    was.current = isGoing;
  }, [isGoing, verdict, failures, announce]);
}
