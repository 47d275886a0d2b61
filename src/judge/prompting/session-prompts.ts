import { memoizeRecent } from '../../core/cache/memoize.ts';
import type { Finding } from '../../core/finding.ts';
import type { Evidence } from '../../core/result.ts';
import { findSecrets as knownSecretsIn } from '../../core/secrets.ts';
import type { Session, Turn } from '../../core/session.ts';
import type { FactValues, Question } from '../question.ts';
import { sessionBoundary } from './boundary.ts';
import { createCitationResolver } from './citations.ts';
import { createFindingExcerpts, FINDINGS_LENGTH } from './finding-excerpts.ts';
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

/** What an answer can name. */
export interface CitableIds {
  /** Of passages; empty where the prompt shows none, and those that are known from elsewhere can be cited. */
  readonly ids: readonly string[];
  /** Of the turn's tool calls, in order. */
  readonly calls: readonly string[];
}

/** A prompt without the schema of its answer. */
export interface SessionPrompt {
  /** Identical for all prompts of a session. */
  readonly system: string;
  /** The longest lived first: session, history, turn, questions. Parts with nothing to show are left out. */
  readonly parts: readonly string[];
  readonly citable: CitableIds;
  /** The places in the trace that ids stand for; unknown ids are left out. */
  cite(ids: readonly string[]): Evidence[];
}

/** The prompts about one session: functions of it, of the key and of what is asked. */
export interface SessionPrompts {
  /** @throws RangeError when there is no such turn. */
  turn(index: number, questions: readonly Question[], facts: FactValues): SessionPrompt;
  session(questions: readonly Question[], facts: FactValues): SessionPrompt;
  /**
   * Shows the facts and nothing of the trace.
   *
   * @param turn what the facts are about, so that the same ids and calls are known as in its own prompt.
   */
  facts(questions: readonly Question[], facts: FactValues, turn?: number): SessionPrompt;
}

export interface SessionPromptsOptions {
  /** Of this installation; what the marker between passages is drawn with. */
  readonly boundaryKey: Uint8Array;
  /** Whether secrets are taken out. */
  readonly redact: boolean;
  /** What rules proved of the session: facts. */
  readonly findings?: readonly Finding[];
  /** What takes the place of the built-in table of them. */
  readonly findSecrets?: FindSecrets;
}

/** No prompt is longer, in characters: about 17,000 tokens of English. */
export const MAX_PROMPT_LENGTH = 68_000;

/** As many turns are kept as are usually under way at once. */
const MAX_CACHED_TURNS = 64;

export function createSessionPrompts(session: Session, options: SessionPromptsOptions): SessionPrompts {
  // Made when the first question comes: nothing is asked about many sessions.
  const made = lazy(() => buildSessionPrompts(session, options));
  return {
    turn: (index, questions, facts) => made().turn(index, questions, facts),
    session: (questions, facts) => made().session(questions, facts),
    facts: (questions, facts, turn) => made().facts(questions, facts, turn),
  };
}

/** What all prompts about a turn or about the session share, whatever is asked. */
interface PromptContext {
  /** All parts but the questions. */
  readonly parts: readonly string[];
  readonly known: CitableIds;
}

function buildSessionPrompts(
  session: Session,
  { boundaryKey, redact, findings = [], findSecrets: secretsIn = knownSecretsIn }: SessionPromptsOptions,
): SessionPrompts {
  const boundary = sessionBoundary(session, boundaryKey);
  const show = createTextRenderer(redact ? secretsIn : null);
  const page = createPromptWriter(boundary, show);
  const system = systemPrompt(boundary);
  const shared = sessionExcerpts(session, show);
  const prefix =
    shared.length === 0 ? '' : page.part(page.heading('The session'), ...shared.map((one) => page.excerpt(one)));
  const proven = createFindingExcerpts(findings);
  const roomForFindings = findings.length === 0 ? 0 : FINDINGS_LENGTH;
  const room = MAX_PROMPT_LENGTH - system.length - prefix.length - roomForFindings - QUESTIONS_LENGTH;

  const scale = historyScale(room);

  const passagesOf = memoizeRecent(
    (index: number) => turnExcerpts(session, turnAt(session, index), index, show),
    MAX_CACHED_TURNS,
  );
  const digestOf = memoizeRecent((index: number) => renderTurnDigest(passagesOf(index), page, scale), MAX_CACHED_TURNS);
  const grounds = lazy(() => findSourceExcerpts(session, (index) => allExcerpts(passagesOf(index)), HISTORY_TURNS));
  const cite = createCitationResolver(session, shared, passagesOf, proven);
  const questions = createQuestionsWriter(boundary, page, show);

  const subject = (parts: readonly string[], ids: readonly string[], calls: readonly string[] = []): PromptContext => ({
    parts: [prefix, ...parts].filter((part) => part !== ''),
    known: { ids: [...new Set([...shared.map(({ id }) => id), ...ids])], calls },
  });
  const ofTurn = memoizeRecent((index: number): PromptContext => {
    const passages = passagesOf(index);
    const history = renderHistory(index, digestOf, grounds(), page, scale);
    const turn = renderTurn(passages, page, room - history.text.length, grounds().inTurn(index));
    const found = proven.renderTurn(index, page);
    const heading = page.heading(`${turnHeading(session.turns[index], index)}, which is asked about`);
    const ids = [...history.ids, ...turn.ids, ...found.ids];
    return subject([history.text, page.part(heading, turn.text, found.text)], ids, turn.calls);
  }, MAX_CACHED_TURNS);
  const ofSession = lazy((): PromptContext => {
    const { text, ids } = renderSessionDigest(session, passagesOf, page, show, room);
    const found = proven.renderSession(page);
    return subject([page.part(text, found.text)], [...ids, ...found.ids]);
  });
  const noSubject: CitableIds = { ids: [], calls: [] };

  const prompt = ({ parts, known }: PromptContext, last: string): SessionPrompt => ({
    system,
    parts: [...parts, last],
    citable: known,
    cite,
  });
  return {
    turn: (index, asked, facts) => prompt(ofTurn(index), questions(`about turn ${index + 1}`, asked, facts)),
    session: (asked, facts) => prompt(ofSession(), questions('about the session as a whole', asked, facts)),
    facts: (asked, facts, turn) => {
      const known = turn === undefined ? noSubject : ofTurn(turn).known;
      return prompt({ parts: [], known }, questions('about the facts above', asked, facts));
    },
  };
}

function turnAt({ turns }: Session, index: number): Turn {
  const turn = turns[index];
  if (!turn) throw new RangeError(`The session has no turn ${index}.`);
  return turn;
}

/** Makes a value when it is first asked for. */
function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
