import type * as z from 'zod/mini';
import { comparedCallRows } from '../../panel/call-comparison.ts';
import { CitationResolver } from '../../panel/citations.ts';
import { buildExplanations } from '../../panel/explanations/explanations.ts';
import { feedbackLookup, hasRecentFeedback } from '../../panel/feedback.ts';
import type { FindingContext } from '../../panel/findings.ts';
import { groupRows, occurrenceRows } from '../../panel/groups.ts';
import { exportMarkdown } from '../../panel/markdown-export.ts';
import { toolNames } from '../../panel/run-details.ts';
import { stepRows } from '../../panel/step-rows.ts';
import { excerpt } from '../../panel/text/excerpt.ts';
import { summarizeTimeline, timelineEntries } from '../../panel/timeline.ts';
import type { Transcript } from '../../panel/transcript.ts';
import { nestedRows, turnRows } from '../../panel/turn-rows.ts';
import type { scenarioFromSession } from '../../protocol/new-scenario.ts';
import type { markdown, prompt } from '../../protocol/panel.ts';
import type { groupOccurrences } from '../../protocol/report.ts';
import type { AgentPath } from '../../protocol/report-values.ts';
import type { timelineRows } from '../../protocol/timeline.ts';
import type { fullText, steps, turns } from '../../protocol/turn-rows.ts';
import type { searchTurns } from '../../protocol/turn-search.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { compareSessionCalls } from '../../report-model/transcript/expected-calls.ts';
import { nestedTurns, type TurnList } from '../../report-model/transcript/nested-turns.ts';
import { textAt } from '../../report-model/transcript/turn-texts.ts';
import { findMatchingTurns } from '../../report-model/turn-search.ts';
import { toolsOf } from '../../scenarios/tool-coverage.ts';
import type { ContentView } from '../results/session-results-view.ts';
import { makeScenario } from '../scenarios/new-scenario.ts';
import { previewPrompts } from './prompts.ts';

/** A session, and its content where it could be read. */
export interface SessionContent {
  readonly view: ContentView;
  readonly model: SessionModel;
  /** Null where its files have changed or are gone. */
  readonly transcript: Transcript | null;
  /** Whether code of the folder's configuration may run. */
  readonly isTrusted: boolean;
}

type ParamsOf<Request extends { readonly params: z.ZodMiniType }> = Omit<z.infer<Request['params']>, 'session'>;

/** The requests of the report panel that need the content of a session: all that scan the text of a trace. */
export const CONTENT_REQUESTS = {
  async feedback({ transcript }: SessionContent, _params: object) {
    return {
      feedback: feedbackLookup(transcript)(null, { type: 'turn' }),
      isCounted: !hasRecentFeedback(transcript),
    };
  },
  async tools({ transcript }: SessionContent, _params: object) {
    return transcript && toolNames(transcript.session);
  },
  async explanations(content: SessionContent, _params: object) {
    return buildExplanations(content.model, findingContext(content));
  },
  async groups(content: SessionContent, _params: object) {
    return groupRows(content.model, findingContext(content));
  },
  async occurrences(content: SessionContent, page: ParamsOf<typeof groupOccurrences>) {
    return occurrenceRows(content.model, page, findingContext(content));
  },
  async calls({ transcript }: SessionContent, _params: object) {
    const expected = transcript && compareSessionCalls(transcript.session);
    return { expected: expected && comparedCallRows(expected) };
  },
  async turns(content: SessionContent, { path = [], from, count }: ParamsOf<typeof turns>) {
    const { view, model, transcript } = content;
    if (path.length > 0) {
      const nested = turnsAt(content, path);
      return { rows: nested ? nestedRows(nested, from, count) : [] };
    }
    const parts = { transcript, feedback: feedbackLookup(transcript) };
    return { rows: turnRows(view.file, model, parts, from, count) };
  },
  async steps(content: SessionContent, { path = [], turn: index, from, count }: ParamsOf<typeof steps>) {
    const list = turnsAt(content, path);
    const turn = list?.turns[index];
    if (!list || !turn) return { rows: [], omitted: 0 };
    const calls = path.length === 0 ? (content.transcript?.calls() ?? null) : null;
    const rows = stepRows(turn, { file: turn.file ?? list.file, calls }, from, count);
    return { rows, omitted: Math.max(0, turn.steps.length - from - count) };
  },
  async timelineSummary({ transcript }: SessionContent, _params: object) {
    return { summary: transcript && summarizeTimeline(transcript.timeline()) };
  },
  async timelineRows({ transcript }: SessionContent, { from, count }: ParamsOf<typeof timelineRows>) {
    return { rows: transcript ? timelineEntries(transcript.timeline(), transcript.session, from, count) : [] };
  },
  async fullText(
    content: SessionContent,
    { path, turn: index, step, field, item, from, count }: ParamsOf<typeof fullText>,
  ) {
    const turn = turnsAt(content, path)?.turns[index];
    const text = turn ? textAt(turn, { step, field, item }) : null;
    return { excerpt: text === null ? null : excerpt(text.slice(from), count) };
  },
  async search({ model, transcript }: SessionContent, { query }: ParamsOf<typeof searchTurns>, signal: AbortSignal) {
    return findMatchingTurns(model, (query.text && transcript?.search) || null, query, signal);
  },
  async markdown({ view, model, transcript }: SessionContent, what: ParamsOf<typeof markdown>) {
    return { text: transcript && exportMarkdown(view, model, transcript.session, what) };
  },
  async coverage({ transcript }: SessionContent, _params: object) {
    return transcript && toolsOf(transcript.session);
  },
  async scenario({ view: { detail }, transcript }: SessionContent, { turn }: ParamsOf<typeof scenarioFromSession>) {
    const session = transcript?.session ?? null;
    return makeScenario({ session, found: detail.found, outcome: detail.report.outcome }, turn);
  },
  async prompts(
    { view, transcript, isTrusted }: SessionContent,
    { turn, metric }: ParamsOf<typeof prompt>,
    signal: AbortSignal,
  ) {
    const session = transcript?.session ?? null;
    return previewPrompts(metric, turn, { file: view.file, session, isTrusted, env: process.env, signal });
  },
} as const;

export type ContentRequest = keyof typeof CONTENT_REQUESTS;
export type ContentParams<Name extends ContentRequest> = Parameters<(typeof CONTENT_REQUESTS)[Name]>[1];
export type ContentAnswer<Name extends ContentRequest> = Awaited<ReturnType<(typeof CONTENT_REQUESTS)[Name]>>;

function findingContext({ view, transcript }: SessionContent): FindingContext {
  return { citations: new CitationResolver(view.file, transcript), feedback: feedbackLookup(transcript) };
}

function turnsAt({ transcript }: SessionContent, path: AgentPath = []): TurnList | null {
  return transcript && nestedTurns(transcript.session, path);
}
