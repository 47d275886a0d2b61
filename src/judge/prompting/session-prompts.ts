import { lazy, memoizeRecent } from '../../core/cache/memoize.ts';
import type { Finding } from '../../core/finding.ts';
import type { Evidence } from '../../core/result.ts';
import { findSecrets as findKnownSecrets } from '../../core/secrets.ts';
import type { Session, Turn } from '../../core/session.ts';
import { allQuestions, type FactValues, type Question, type QuestionPair } from '../question.ts';
import { sessionBoundary } from './boundary.ts';
import { createCitationResolver } from './citations.ts';
import { createFindingExcerpts, FINDINGS_LENGTH, isShownInPrompts } from './finding-excerpts.ts';
import { HISTORY_TURNS, historyScale, renderHistory, renderSources } from './history.ts';
import { createPromptWriter } from './prompt-writer.ts';
import { createQuestionsWriter, QUESTIONS_LENGTH } from './questions-part.ts';
import { renderSessionDigest } from './session-digest.ts';
import { sessionExcerpts } from './session-excerpts.ts';
import { findSourceExcerpts } from './source-excerpts.ts';
import { SYSTEM_PROMPT } from './system-prompt.ts';
import { createTextRenderer, type FindSecrets } from './trace-text.ts';
import { allExcerpts, turnExcerpts } from './turn-excerpts.ts';
import { renderTurn, renderTurnDigest, sum, turnHeading, turnLength } from './turn-rendering.ts';

/** The ids that an answer can name. */
export interface CitableIds {
  /** Of excerpts; empty if the prompt shows none: then any can be cited. */
  readonly ids: readonly string[];
  /** Of the turn's tool calls, in order. */
  readonly calls: readonly string[];
}

/** A prompt without the schema of its answer. */
export interface SessionPrompt {
  /** Identical for all prompts. */
  readonly system: string;
  /** The longest-lived first: questions, session, history, turn, what the questions are about. Empty parts are left out. */
  readonly parts: readonly string[];
  readonly citable: CitableIds;
  /** The locations that ids stand for; unknown ids are left out. */
  cite(ids: readonly string[]): Evidence[];
}

/** The prompts about one session. They depend on the session, the key and the questions alone. */
export interface SessionPrompts {
  /** @throws RangeError if there is no such turn. */
  turn(index: number, questions: readonly Question[], facts: FactValues): SessionPrompt;
  /**
   * What can be cited of a turn, whether it is asked about alone or with the turn beside it.
   *
   * @throws RangeError if there is no such turn.
   */
  citableOf(index: number): CitableIds;
  /** Two turns that follow each other; null if there is no second one, or if they are too long for one prompt. */
  pair(first: number): TurnPair | null;
  session(questions: readonly Question[], facts: FactValues): SessionPrompt;
  /**
   * Shows the facts without the trace.
   *
   * @param turn that the facts are about, so that the same ids and calls can be cited as in its own prompt.
   */
  facts(questions: readonly Question[], facts: FactValues, turn?: number): SessionPrompt;
}

/** The prompts about two turns that follow each other. */
export interface TurnPair {
  /** Of each turn, for answers about it. */
  readonly citable: readonly [CitableIds, CitableIds];
  /** @param questions without data, which depend on no facts. */
  prompt(questions: QuestionPair): Pick<SessionPrompt, 'system' | 'parts'>;
}

export interface SessionPromptsOptions {
  /** Of this installation; the marker is derived from it. */
  readonly boundaryKey: Uint8Array;
  /** Whether secrets are redacted. */
  readonly redact: boolean;
  /** Of the session's rules, shown as facts. */
  readonly findings?: readonly Finding[];
  /** Replaces the built-in patterns. */
  readonly findSecrets?: FindSecrets;
}

/** In characters: about 17,000 tokens of English. */
export const MAX_PROMPT_LENGTH = 68_000;

/** About as many turns as are usually in progress at the same time. */
const MAX_CACHED_TURNS = 64;

export function createSessionPrompts(session: Session, options: SessionPromptsOptions): SessionPrompts {
  // Built for the first question: about many sessions nothing is asked.
  const prompts = lazy(() => buildSessionPrompts(session, options));
  return {
    turn: (index, questions, facts) => prompts().turn(index, questions, facts),
    citableOf: (index) => prompts().citableOf(index),
    pair: (first) => prompts().pair(first),
    session: (questions, facts) => prompts().session(questions, facts),
    facts: (questions, facts, turn) => prompts().facts(questions, facts, turn),
  };
}

/** What all prompts about a turn, or about the session, share. */
interface PromptContext {
  /** All parts between the questions and what they are about. */
  readonly parts: readonly string[];
  readonly citable: CitableIds;
}

function buildSessionPrompts(
  session: Session,
  { boundaryKey, redact, findings: allFindings = [], findSecrets = findKnownSecrets }: SessionPromptsOptions,
): SessionPrompts {
  const boundary = sessionBoundary(session, boundaryKey);
  const render = createTextRenderer(redact ? findSecrets : null);
  const writer = createPromptWriter(boundary, render);
  const shared = sessionExcerpts(session, render);
  const given =
    shared.length === 0
      ? []
      : [writer.part(writer.heading('The session'), ...shared.map((excerpt) => writer.excerpt(excerpt)))];
  const prefix = [writer.opening, ...given].join('\n\n');
  const findings = allFindings.filter(isShownInPrompts);
  const findingExcerpts = createFindingExcerpts(findings);
  const roomForFindings = findings.length === 0 ? 0 : FINDINGS_LENGTH;
  const room = MAX_PROMPT_LENGTH - SYSTEM_PROMPT.length - prefix.length - roomForFindings - QUESTIONS_LENGTH;

  const scale = historyScale(room);

  const excerptsOf = memoizeRecent(
    (index: number) => turnExcerpts(session, turnAt(session, index), index, render),
    MAX_CACHED_TURNS,
  );
  const digestFor = memoizeRecent(
    (index: number) => renderTurnDigest(excerptsOf(index), writer, scale),
    MAX_CACHED_TURNS,
  );
  const sources = lazy(() => findSourceExcerpts(session, (index) => allExcerpts(excerptsOf(index)), HISTORY_TURNS));
  const cite = createCitationResolver(session, shared, excerptsOf, findingExcerpts);
  const asked = createQuestionsWriter(boundary, writer, render);

  const createContext = (
    parts: readonly string[],
    ids: readonly string[],
    calls: readonly string[] = [],
  ): PromptContext => ({
    parts: [prefix, ...parts].filter((part) => part !== ''),
    citable: { ids: [...new Set([...shared.map(({ id }) => id), ...ids])], calls },
  });
  const headingOf = (index: number) =>
    writer.heading(`${turnHeading(session.turns[index], index)}, which is asked about`);
  const turnContext = memoizeRecent((index: number): PromptContext => {
    const excerpts = excerptsOf(index);
    const history = renderHistory(index, digestFor, sources(), writer, scale);
    const turn = renderTurn(excerpts, writer, room - history.text.length, sources().inTurn(index));
    const turnFindings = findingExcerpts.renderTurn(index, writer);
    const ids = [...history.ids, ...turn.ids, ...turnFindings.ids];
    return createContext([history.text, writer.part(headingOf(index), turn.text, turnFindings.text)], ids, turn.calls);
  }, MAX_CACHED_TURNS);
  const citableOf = memoizeRecent((index: number): CitableIds => {
    const { ids, calls } = turnContext(index).citable;
    if (index % 2 === 0) return { ids, calls };
    const shown = allExcerpts(excerptsOf(index - 1)).map(({ id }) => id);
    return { ids: [...new Set([...turnContext(index - 1).citable.ids, ...shown, ...ids])], calls };
  }, MAX_CACHED_TURNS);
  const pair = (first: number): TurnPair | null => {
    const second = first + 1;
    if (!session.turns[second]) return null;
    const history = renderHistory(first, digestFor, sources(), writer, scale);
    const shown = new Set([...history.ids, ...allExcerpts(excerptsOf(first)).map(({ id }) => id)]);
    const ofSecond = sources()
      .inEarlierTurns(second)
      .filter(({ excerpt }) => !shown.has(excerpt.id));
    const earlier = renderSources(ofSecond, `turn ${second + 1}`, writer, scale);
    const length = sum([
      history.text.length,
      ...earlier.map((text) => text.length),
      ...[first, second].map((index) => turnLength(excerptsOf(index), writer)),
    ]);
    // Two turns can have twice as many findings as there is room for.
    if (length > room - roomForFindings) return null;
    const renderOne = (index: number) => {
      const { text } = renderTurn(excerptsOf(index), writer, room, sources().inTurn(index));
      return [headingOf(index), text, findingExcerpts.renderTurn(index, writer).text];
    };
    return {
      citable: [citableOf(first), citableOf(second)],
      prompt: (batches) => {
        const record = writer.part(...renderOne(first), ...earlier, ...renderOne(second));
        const parts = [
          asked.questions(allQuestions(batches)),
          prefix,
          history.text,
          record,
          asked.pair(first + 1, batches),
        ];
        return { system: SYSTEM_PROMPT, parts: parts.filter((part) => part !== '') };
      },
    };
  };
  const sessionContext = lazy((): PromptContext => {
    const { text, ids } = renderSessionDigest(session, excerptsOf, writer, render, room);
    const sessionFindings = findingExcerpts.renderSession(writer);
    return createContext([writer.part(text, sessionFindings.text)], [...ids, ...sessionFindings.ids]);
  });
  const nothingCitable: CitableIds = { ids: [], calls: [] };

  const prompt = (
    { parts, citable }: PromptContext,
    about: string,
    batch: readonly Question[],
    facts: FactValues,
  ): SessionPrompt => ({
    system: SYSTEM_PROMPT,
    parts: [asked.questions(batch), ...parts, asked.target(about, batch, facts)],
    citable,
    cite,
  });
  return {
    turn: (index, batch, facts) => prompt(turnContext(index), `about turn ${index + 1}`, batch, facts),
    citableOf,
    pair,
    session: (batch, facts) => prompt(sessionContext(), 'about the session as a whole', batch, facts),
    facts: (batch, facts, turn) => {
      const citable = turn === undefined ? nothingCitable : turnContext(turn).citable;
      return prompt({ parts: [writer.opening], citable }, 'about the facts above', batch, facts);
    },
  };
}

function turnAt({ turns }: Session, index: number): Turn {
  const turn = turns[index];
  if (!turn) throw new RangeError(`The session has no turn ${index}.`);
  return turn;
}
