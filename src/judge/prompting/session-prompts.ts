import { lazy, memoizeRecent } from '../../core/cache/memoize.ts';
import type { Finding } from '../../core/finding.ts';
import type { Evidence } from '../../core/result.ts';
import { findSecrets as findKnownSecrets } from '../../core/secrets.ts';
import type { Session, Turn } from '../../core/session.ts';
import type { FactValues, Question } from '../question.ts';
import { sessionBoundary } from './boundary.ts';
import { createCitationResolver } from './citations.ts';
import { createFindingExcerpts, FINDINGS_LENGTH, isShownInPrompts } from './finding-excerpts.ts';
import { HISTORY_TURNS, historyScale, renderHistory } from './history.ts';
import { createPromptWriter } from './prompt-writer.ts';
import { createQuestionsWriter, QUESTIONS_LENGTH } from './questions-part.ts';
import { renderSessionDigest } from './session-digest.ts';
import { sessionExcerpts } from './session-excerpts.ts';
import { findSourceExcerpts } from './source-excerpts.ts';
import { systemPrompt } from './system-prompt.ts';
import { createTextRenderer, type FindSecrets } from './trace-text.ts';
import { allExcerpts, turnExcerpts } from './turn-excerpts.ts';
import { renderTurn, renderTurnDigest, turnHeading } from './turn-rendering.ts';

/** The ids that an answer can name. */
export interface CitableIds {
  /** Of excerpts; empty if the prompt shows none: then any can be cited. */
  readonly ids: readonly string[];
  /** Of the turn's tool calls, in order. */
  readonly calls: readonly string[];
}

/** A prompt without the schema of its answer. */
export interface SessionPrompt {
  /** Identical for all prompts of a session. */
  readonly system: string;
  /** The longest-lived first: session, history, turn, questions. Empty parts are left out. */
  readonly parts: readonly string[];
  readonly citable: CitableIds;
  /** The locations that ids stand for; unknown ids are left out. */
  cite(ids: readonly string[]): Evidence[];
}

/** The prompts about one session. They depend on the session, the key and the questions alone. */
export interface SessionPrompts {
  /** @throws RangeError if there is no such turn. */
  turn(index: number, questions: readonly Question[], facts: FactValues): SessionPrompt;
  session(questions: readonly Question[], facts: FactValues): SessionPrompt;
  /**
   * Shows the facts without the trace.
   *
   * @param turn that the facts are about, so that the same ids and calls can be cited as in its own prompt.
   */
  facts(questions: readonly Question[], facts: FactValues, turn?: number): SessionPrompt;
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
    session: (questions, facts) => prompts().session(questions, facts),
    facts: (questions, facts, turn) => prompts().facts(questions, facts, turn),
  };
}

/** What all prompts about a turn, or about the session, share. */
interface PromptContext {
  /** All parts except the questions. */
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
  const system = systemPrompt(boundary);
  const shared = sessionExcerpts(session, render);
  const prefix =
    shared.length === 0
      ? ''
      : writer.part(writer.heading('The session'), ...shared.map((excerpt) => writer.excerpt(excerpt)));
  const findings = allFindings.filter(isShownInPrompts);
  const findingExcerpts = createFindingExcerpts(findings);
  const roomForFindings = findings.length === 0 ? 0 : FINDINGS_LENGTH;
  const room = MAX_PROMPT_LENGTH - system.length - prefix.length - roomForFindings - QUESTIONS_LENGTH;

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
  const questions = createQuestionsWriter(boundary, writer, render);

  const createContext = (
    parts: readonly string[],
    ids: readonly string[],
    calls: readonly string[] = [],
  ): PromptContext => ({
    parts: [prefix, ...parts].filter((part) => part !== ''),
    citable: { ids: [...new Set([...shared.map(({ id }) => id), ...ids])], calls },
  });
  const turnContext = memoizeRecent((index: number): PromptContext => {
    const excerpts = excerptsOf(index);
    const history = renderHistory(index, digestFor, sources(), writer, scale);
    const turn = renderTurn(excerpts, writer, room - history.text.length, sources().inTurn(index));
    const turnFindings = findingExcerpts.renderTurn(index, writer);
    const heading = writer.heading(`${turnHeading(session.turns[index], index)}, which is asked about`);
    const ids = [...history.ids, ...turn.ids, ...turnFindings.ids];
    return createContext([history.text, writer.part(heading, turn.text, turnFindings.text)], ids, turn.calls);
  }, MAX_CACHED_TURNS);
  const sessionContext = lazy((): PromptContext => {
    const { text, ids } = renderSessionDigest(session, excerptsOf, writer, render, room);
    const sessionFindings = findingExcerpts.renderSession(writer);
    return createContext([writer.part(text, sessionFindings.text)], [...ids, ...sessionFindings.ids]);
  });
  const nothingCitable: CitableIds = { ids: [], calls: [] };

  const prompt = ({ parts, citable }: PromptContext, questionsPart: string): SessionPrompt => ({
    system,
    parts: [...parts, questionsPart],
    citable,
    cite,
  });
  return {
    turn: (index, batch, facts) => prompt(turnContext(index), questions(`about turn ${index + 1}`, batch, facts)),
    session: (batch, facts) => prompt(sessionContext(), questions('about the session as a whole', batch, facts)),
    facts: (batch, facts, turn) => {
      const citable = turn === undefined ? nothingCitable : turnContext(turn).citable;
      return prompt({ parts: [], citable }, questions('about the facts above', batch, facts));
    },
  };
}

function turnAt({ turns }: Session, index: number): Turn {
  const turn = turns[index];
  if (!turn) throw new RangeError(`The session has no turn ${index}.`);
  return turn;
}
