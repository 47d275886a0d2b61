import type { SessionReport } from '../../core/report.ts';
import type { Turn } from '../../core/session.ts';
import { comparedCallRows } from '../../panel/call-comparison.ts';
import { CitationResolver } from '../../panel/citations.ts';
import { buildExplanations } from '../../panel/explanations/explanations.ts';
import { feedbackLookup } from '../../panel/feedback.ts';
import type { FindingContext } from '../../panel/findings.ts';
import { groupRows, occurrenceRows } from '../../panel/groups.ts';
import { buildHeader, headerFacts } from '../../panel/header.ts';
import { exportMarkdown } from '../../panel/markdown-export.ts';
import { createSessionModel, type PanelSession } from '../../panel/panel-session.ts';
import { buildRunDetails, toolNames } from '../../panel/run-details.ts';
import { buildSignals } from '../../panel/signals.ts';
import { stepRows } from '../../panel/step-rows.ts';
import { toUri } from '../../panel/targets.ts';
import { summarizeTimeline, timelineEntries } from '../../panel/timeline.ts';
import type { Transcript } from '../../panel/transcript.ts';
import { nestedRows, turnRows } from '../../panel/turn-rows.ts';
import {
  explanations,
  problemGroups,
  sessionCalls,
  sessionFeedback,
  sessionReport,
  sessionRun,
} from '../../protocol/report.ts';
import {
  type PageSearch,
  type PageSessionReport,
  type PageTurns,
  TIMELINE_ROWS_PER_VALUE,
  TURNS_PER_VALUE,
  type ValuePlace,
} from '../../protocol/report-page.ts';
import type { AgentPath } from '../../protocol/report-values.ts';
import { timelineSummary } from '../../protocol/timeline.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { compareSessionCalls } from '../../report-model/transcript/expected-calls.ts';
import { type TurnList, turnsWithin } from '../../report-model/transcript/nested-turns.ts';
import { type TurnText, turnTexts } from '../../report-model/transcript/turn-texts.ts';

/** Puts a value into the report. */
export type StoreValue = (value: unknown) => ValuePlace;

/** Writes all that the panel may ask about a session. @param transcript null: only its results are known. */
export function storeSession(session: PanelSession, transcript: Transcript | null, store: StoreValue): ValuePlace {
  const model = createSessionModel(session);
  const feedback = feedbackLookup(transcript);
  const findings: FindingContext = { citations: new CitationResolver(session.file, transcript), feedback };
  const { row } = session;
  const read = transcript?.session ?? null;
  const pages = Array.from({ length: Math.ceil(row.turns / TURNS_PER_VALUE) }, (_, page) => page * TURNS_PER_VALUE);
  const turns = pages.map((from) => store(pageOfTurns(session, model, transcript, from)));
  const texts = read
    ? pages.map((from) =>
        store(read.turns.slice(from, from + TURNS_PER_VALUE).map((turn) => Array.from(turnTexts(turn), textOf))),
      )
    : [];
  const timeline = transcript?.timeline() ?? null;
  const timelinePages: ValuePlace[] = [];
  for (let from = 0; transcript && timeline && from < timeline.total; from += TIMELINE_ROWS_PER_VALUE) {
    timelinePages.push(store(timelineEntries(timeline, transcript.session, from, TIMELINE_ROWS_PER_VALUE)));
  }
  const nested = read ? nestedPages({ turns: read.turns, file: read.source.file }) : {};
  const expected = read && compareSessionCalls(read);
  const { groups, groupsOmitted } = groupRows(model, findings);
  const { available, signals } = buildSignals(model);
  const parts = { revision: 1, state: 'fresh', sessionsInFile: 1, feedback } as const;
  const tools = read && toolNames(read);
  const report: PageSessionReport = {
    answers: {
      [sessionReport.method]: { header: buildHeader(session, headerFacts(model), parts) },
      [sessionRun.method]: {
        run: buildRunDetails(session, { configurations: [], companions: [], warnings: [], tools }),
      },
      [sessionFeedback.method]: {
        feedback: feedback(null, { type: 'turn' }),
        isCounted: true,
        isRecorded: session.detail.report.outcome.source === 'recorded',
      },
      [explanations.method]: buildExplanations(model, findings),
      [problemGroups.method]: { groups, groupsOmitted },
      [sessionCalls.method]: { expected: expected && comparedCallRows(expected) },
      [timelineSummary.method]: { summary: timeline && summarizeTimeline(timeline) },
    },
    occurrences: groups.map(({ count }, group) => allOccurrences(model, group, count, findings)),
    signals: buildSignals(model, available).signals,
    series: signals.map(({ metric }) => metric),
    turns,
    texts,
    timeline: timelinePages,
    search: store(searchData(model)),
    nested: Object.keys(nested).length === 0 ? null : store(nested),
    lines: linesOf(session),
    issue: read && exportMarkdown(session, model, read, { turn: null, as: 'issue' }),
  };
  return store(report);
}

/** Problems that one request gives. */
const OCCURRENCES_PER_REQUEST = 50;

function allOccurrences(model: SessionModel, group: number, count: number, findings: FindingContext): unknown[] {
  const pages = Array.from({ length: Math.ceil(count / OCCURRENCES_PER_REQUEST) }, (_, page) => page);
  return pages.flatMap((page) => {
    const limit = OCCURRENCES_PER_REQUEST;
    return occurrenceRows(model, { group, offset: page * limit, limit }, findings).rows;
  });
}

function pageOfTurns(
  { file }: PanelSession,
  model: SessionModel,
  transcript: Transcript | null,
  from: number,
): PageTurns {
  const parts = { transcript, feedback: feedbackLookup(transcript) };
  const rows = turnRows(file, model, parts, from, TURNS_PER_VALUE);
  const turns = transcript?.session.turns.slice(from, from + TURNS_PER_VALUE) ?? [];
  return { rows, steps: furtherSteps({ turns, file }, rows, transcript?.calls() ?? null, from) };
}

/** Steps that one request gives; the texts of so many share a limit. */
const STEPS_PER_REQUEST = 50;

/** The steps that do not come with their turn. */
function furtherSteps(
  { turns, file }: TurnList,
  rows: readonly { readonly stepsOmitted: number }[],
  calls: ReturnType<Transcript['calls']> | null,
  first: number,
): PageTurns['steps'] {
  const all = turns.flatMap((turn, at) => {
    const omitted = rows[at]?.stepsOmitted ?? 0;
    if (omitted === 0) return [];
    const known = turn.steps.length - omitted;
    const pages = Array.from({ length: Math.ceil(omitted / STEPS_PER_REQUEST) }, (_, page) => page);
    const steps = pages.flatMap((page) =>
      stepRows(turn, { file: turn.file ?? file, calls }, known + page * STEPS_PER_REQUEST, STEPS_PER_REQUEST),
    );
    return [[first + at, steps] as const];
  });
  return Object.fromEntries(all);
}

function textOf({ text, step, field, item }: TurnText) {
  return { text, step, field, item };
}

/** The turns of all sub-agents, by the path to their step. */
function nestedPages(top: TurnList): Record<string, PageTurns & { readonly texts: unknown }> {
  const found: Record<string, PageTurns & { readonly texts: unknown }> = {};
  const open: { readonly path: AgentPath; readonly list: TurnList }[] = [{ path: [], list: top }];
  // A loop, since sub-agents may be nested deeper than the call stack allows.
  for (let next = open.pop(); next; next = open.pop()) {
    const { path, list } = next;
    if (path.length > 0) {
      const rows = nestedRows(list, 0, list.turns.length);
      const texts = list.turns.map((turn) => Array.from(turnTexts(turn), textOf));
      found[JSON.stringify(path)] = { rows, steps: furtherSteps(list, rows, null, 0), texts };
    }
    for (const call of agentCalls(list.turns)) {
      const inner = turnsWithin(list, [call]);
      if (inner) open.push({ path: [...path, call], list: inner });
    }
  }
  return found;
}

function agentCalls(turns: readonly Turn[]): AgentPath {
  return turns.flatMap(({ steps }, turn) =>
    steps.flatMap(({ type }, step) => (type === 'agent' ? [{ turn, step }] : [])),
  );
}

function searchData(model: SessionModel): PageSearch {
  const numbers = new Map<string, number>();
  const results: PageSearch['results'][number][] = [];
  const turns = Array.from({ length: model.turnCount }, (_, index) => {
    const report = model.turn(index);
    if (!report) return null;
    const own = Object.entries(report.metrics).filter(([, { implied }]) => !implied);
    const shown = Object.fromEntries(own.map(([metric, { status, passed }]) => [metric, { status, passed }]));
    const key = JSON.stringify(shown);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, results.length);
    results.push(shown);
    return results.length - 1;
  });
  const { groups, observations } = model.findings;
  return {
    results,
    turns,
    problems: groups.flatMap(({ occurrences }) =>
      occurrences.map(({ turn, label, severity, reason }) => ({ turn, label, severity, reason })),
    ),
    observations: observations.map(({ turn, reason }) => ({ turn, reason })),
  };
}

/** The lines that a report names, by file and pointer. */
function linesOf({ detail: { report, found } }: PanelSession): PageSessionReport['lines'] {
  const lines: Record<string, Record<string, number>> = {};
  const add = (file: string, pointer: string | null, line: number | null): void => {
    if (pointer === null || line === null) return;
    const uri = toUri(file);
    lines[uri] ??= {};
    lines[uri][pointer] = line;
  };
  for (const { pointer, line, file = report.source.file } of report.turns) add(file, pointer, line);
  const places = [
    ...found.groups.flatMap(({ occurrences }) => occurrences),
    ...found.observations,
    ...found.suppressed,
  ];
  for (const { file, pointer, line, evidence } of places) {
    add(file, pointer, line);
    for (const at of evidence) add(at.file, at.pointer, at.line);
  }
  return lines;
}

/** Whether a session is left out last where a report becomes too large. */
export function isWithoutProblems({ headline }: Pick<SessionReport, 'headline'>): boolean {
  return headline.kind === 'clean' || headline.kind === 'succeeded';
}
