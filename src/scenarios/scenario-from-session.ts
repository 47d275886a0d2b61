import { isObject, type JsonObject } from '../core/json.ts';
import type { AgentOutcome, ProblemOccurrence, SuppressedFinding } from '../core/report.ts';
import { redactJsonValue, redactSecrets } from '../core/secrets.ts';
import {
  agentToolCalls,
  type Pointer,
  type Session,
  type ToolStep,
  type Turn,
  type TurnReference,
} from '../core/session.ts';
import { EXPECTATION_NOT_MET } from '../core/severity.ts';
import { oneLine, truncate } from '../core/text/truncate.ts';
import { answerFacts } from './answer-facts.ts';
import type { MockedCall } from './data-mocks.ts';

/** A session and what its report says of it. */
export interface ReportedSession {
  readonly session: Session;
  readonly found: {
    /** Problems by kind. */
    readonly groups: readonly { readonly occurrences: readonly SessionProblem[] }[];
    readonly suppressed: readonly Pick<SuppressedFinding, 'turn'>[];
  };
  readonly outcome: Pick<AgentOutcome, 'status' | 'reason'>;
}

export type SessionProblem = Pick<ProblemOccurrence, 'turn' | 'rule' | 'label' | 'severity' | 'reason' | 'evidence'>;

/** A scenario that is not written yet: plain data, without secrets. */
export interface ScenarioDraft {
  readonly name: string;
  readonly goal?: string;
  readonly profile?: string;
  readonly knowledge?: readonly { readonly content: string }[];
  readonly turns: readonly DraftTurn[];
  readonly assertions?: JsonObject;
  readonly mocks?: { readonly tools: Readonly<Record<string, { readonly calls: readonly MockedCall[] }>> };
  /** Whether the session has a final state, which a scenario that is data cannot check: its mocks have none. */
  readonly hasFinalState: boolean;
  /** The session that it was made of. */
  readonly from: Pick<Session, 'id' | 'source'>;
}

export interface DraftTurn {
  readonly userMessage: string;
  /** As in `expectationsSchema`. */
  readonly assertions?: JsonObject;
  /** What was found in a turn that went wrong: what should have happened is for a person to say. Null: nothing. */
  readonly found: readonly string[] | null;
}

/**
 * A scenario of a session: what the user said, what the tools answered, and what the agent did right. Nothing that a problem
 * speaks against is expected. Null without a turn.
 *
 * @param last the turn that it ends with, zero-based; null: all turns.
 */
export function draftScenario(evaluated: ReportedSession, last: number | null): ScenarioDraft | null {
  const { session } = evaluated;
  const turns = last === null ? answeredTurns(evaluated) : session.turns.slice(0, last + 1);
  if (turns.length === 0) return null;
  const tools = mockedTools(session);
  // Of all turns.
  const assertions = last === null ? statedExpectations(session.reference) : {};
  const knowledge = session.knowledge?.map((content) => ({ content: redactSecrets(content) }));
  return {
    name: nameOf(session, last),
    ...(session.goal === undefined ? {} : { goal: redactSecrets(session.goal) }),
    ...(session.profile === undefined ? {} : { profile: redactSecrets(session.profile) }),
    ...(knowledge ? { knowledge } : {}),
    turns: draftTurns(evaluated, turns),
    ...(Object.keys(assertions).length === 0 ? {} : { assertions }),
    ...(Object.keys(tools).length === 0 ? {} : { mocks: { tools } }),
    hasFinalState: last === null && (session.finalState ?? session.reference?.finalState) !== undefined,
    from: session,
  };
}

/** Without the messages at the end that ended the conversation: the agent did nothing about them. */
function answeredTurns(evaluated: ReportedSession): readonly Turn[] {
  const { turns } = evaluated.session;
  const problems = problemsOf(evaluated);
  const last = turns.findLastIndex(
    ({ output, steps, reference }, index) =>
      output !== null || steps.length > 0 || reference || problems.some(({ turn }) => turn === index),
  );
  return turns.slice(0, last + 1);
}

const MAX_NAME = 80;

function nameOf({ id, goal, turns }: Session, last: number | null): string {
  const said = [goal, ...turns.map(({ input }) => input), id].find((text) => text?.trim());
  const name = truncate(oneLine(redactSecrets((said ?? id).slice(0, 10 * MAX_NAME))), MAX_NAME);
  return last === null ? name : `${name} (turn ${last + 1})`;
}

function problemsOf({ found }: ReportedSession): readonly SessionProblem[] {
  return found.groups.flatMap(({ occurrences }) => occurrences);
}

function draftTurns(evaluated: ReportedSession, turns: readonly Turn[]): DraftTurn[] {
  const { session, found, outcome } = evaluated;
  const problems = problemsOf(evaluated);
  const byTurn = Map.groupBy(problems, ({ turn }) => turn);
  const isFound = turns.some((_, index) => byTurn.has(index));
  // No finding says where it failed, so that any turn may be wrong.
  const isAnywhere = outcome.status === 'failed' && !isFound;
  const cited = new Set(problems.flatMap(({ evidence }) => evidence.map(({ pointer }) => pointer)));
  const isSuppressed = new Set(found.suppressed.map(({ turn }) => turn));
  return turns.map((turn, index) => {
    const own = byTurn.get(index);
    const isBlank = own !== undefined || (isAnywhere && index === turns.length - 1);
    const right = isBlank || isAnywhere ? {} : rightBehaviour(turn, cited);
    const isOpen = isBlank || isSuppressed.has(index) || !hasMessage(turn);
    const noFindings = own ? rulesOf(own) : isOpen ? [] : ['*'];
    const assertions = {
      ...right,
      ...(own ? wrongAnswer(turn, own) : {}),
      ...statedExpectations(turn.reference),
      ...(noFindings.length === 0 ? {} : { noFindings }),
    };
    return {
      userMessage: userMessage(turn),
      ...(Object.keys(assertions).length === 0 ? {} : { assertions }),
      found: isBlank ? describeFound(own, turn, session, outcome.reason) : null,
    };
  });
}

/** The agent spoke first: a scenario cannot begin so. */
const NO_MESSAGE = 'Hello.';

function hasMessage({ input }: Turn): boolean {
  return input !== null && input.trim() !== '';
}

function userMessage(turn: Turn): string {
  return hasMessage(turn) ? redactSecrets(turn.input ?? '') : NO_MESSAGE;
}

/** The calls that succeeded and that no problem cites, and values of their results in the answer. */
function rightBehaviour(turn: Turn, cited: ReadonlySet<Pointer>): JsonObject {
  const calls = agentToolCalls(turn).filter((step) => step.outcome === 'ok' && !isCited(step, cited));
  const contains = answerFacts(turn).filter((fact) => redactSecrets(fact) === fact);
  return {
    ...(calls.length === 0
      ? {}
      : { toolCalls: { matchMode: 'unordered-contains', expected: calls.map((call) => expectedCall(call)) } }),
    ...(contains.length === 0 ? {} : { answer: { contains } }),
  };
}

function isCited({ pointer, resultPointer }: ToolStep, cited: ReadonlySet<Pointer>): boolean {
  const own = [pointer, ...(resultPointer === undefined ? [] : [resultPointer])];
  return own.some((at) => cited.has(at)) || [...cited].some((at) => own.some((parent) => at.startsWith(`${parent}/`)));
}

function expectedCall({ name, arguments: written }: ToolStep): JsonObject {
  const args = publicArguments(written);
  return { name, ...(Object.keys(args).length === 0 ? {} : { args }) };
}

/** Those without a secret. */
function publicArguments(written: ToolStep['arguments']): JsonObject {
  if (!isObject(written)) return {};
  return Object.fromEntries(Object.entries(written).filter(([key, value]) => !hasSecret({ [key]: value })));
}

function hasSecret(value: unknown): boolean {
  return JSON.stringify(value) !== JSON.stringify(value, redactJsonValue);
}

function rulesOf(problems: readonly SessionProblem[]): string[] {
  return [...new Set(problems.flatMap(({ rule }) => rule ?? []))];
}

type StatedExpectations = Partial<Pick<TurnReference, 'expectations' | 'toolCalls' | 'orderMatters'>>;

/** What a person or the source of the trace expects. */
function statedExpectations({ expectations, toolCalls, orderMatters = true }: StatedExpectations = {}): JsonObject {
  if (expectations) return hasSecret(expectations) ? {} : { ...expectations };
  if (!toolCalls || hasSecret(toolCalls)) return {};
  const expected = toolCalls.map(({ name, arguments: args }) => ({ name, ...(args ? { args } : {}) }));
  return { toolCalls: { matchMode: orderMatters ? 'strict' : 'unordered', expected } };
}

/** Longer answers are not repeated. */
const MAX_ANSWER = 2000;

/** Where no rule finds the problem: the answer that it cites must not be given again. */
function wrongAnswer({ output, outputPointer }: Turn, problems: readonly SessionProblem[]): JsonObject {
  const judged = problems
    .filter(({ rule, label }) => rule === null && label !== EXPECTATION_NOT_MET)
    .flatMap(({ evidence }) => evidence);
  const isCitedAnswer = outputPointer !== undefined && judged.some(({ pointer }) => pointer === outputPointer);
  if (!isCitedAnswer || !output?.trim() || output.length > MAX_ANSWER || hasSecret(output)) return {};
  return { answer: { excludes: [output.trim()] } };
}

function describeFound(
  problems: readonly SessionProblem[] | undefined,
  { reference, output }: Turn,
  { turns }: Session,
  outcome: string,
): string[] {
  const found = problems?.map(({ rule, label, severity, reason }) => `${rule ?? label} (${severity}): ${reason}`);
  return [
    ...(found ?? [
      `The session failed (${outcome}).${turns.length > 1 ? ' Find the turn in which it went wrong.' : ''}`,
    ]),
    ...(reference?.response === undefined ? [] : [`Expected answer: ${reference.response}`]),
    ...(output === null ? [] : [`Answer in the trace: ${output}`]),
  ];
}

/** The results of the tools, by their arguments, in the order of the calls. */
function mockedTools({ turns }: Session): Record<string, { readonly calls: readonly MockedCall[] }> {
  const answered = turns.flatMap(agentToolCalls).flatMap((step) => {
    const call = mockedCall(step);
    return call ? [[step.name, call] as const] : [];
  });
  const byTool = Map.groupBy(answered, ([name]) => name);
  return Object.fromEntries(
    Array.from(byTool, ([name, calls]) => [name, { calls: withoutRepeated(calls.map(([, call]) => call)) }]),
  );
}

/** Null where the trace has no answer. */
function mockedCall({ arguments: written, result, error, outcome }: ToolStep): MockedCall | null {
  const args = publicArguments(written);
  const named = Object.keys(args).length === 0 ? {} : { args };
  if (error !== undefined) return { ...named, error: redactSecrets(error) };
  if (outcome === 'rejected') return { ...named, error: 'The user refused this call.' };
  if (result === undefined && outcome !== 'ok') return null;
  return { ...named, result: JSON.parse(JSON.stringify(result ?? null, redactJsonValue)) };
}

/** The last answer to some arguments is given again: it is not repeated. */
function withoutRepeated(calls: readonly MockedCall[]): MockedCall[] {
  const last = new Map<string, string>();
  return calls.filter((call) => {
    const [key, text] = [JSON.stringify(call.args), JSON.stringify(call)];
    const isRepeated = last.get(key) === text;
    last.set(key, text);
    return !isRepeated;
  });
}
