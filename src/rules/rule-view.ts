import { lazy, memoize } from '../core/cache/memoize.ts';
import { canonicalJson, jsonEqual } from '../core/json.ts';
import type { Evidence } from '../core/result.ts';
import {
  agentToolCalls,
  availableTools,
  type Pointer,
  type Session,
  type Tool,
  type ToolStep,
} from '../core/session.ts';
import { type AgentText, findTextsWithMarkers } from './dialogue-en/agent-texts.ts';
import { looksTransient } from './dialogue-en/phrases.ts';
import { areUserMessagesReadable } from './dialogue-en/user-consent.ts';
import { checkGrounding, type Grounding } from './grounding/grounding.ts';
import { failureMessage, reportsFailure } from './shared/failed-result.ts';
import { type SessionKind, sessionKind } from './shared/session-kind.ts';
import { localName, type ToolEffect, type ToolNameTest, toolEffect } from './shared/tool-effect.ts';

/** A tool call of the agent, with the properties that rules compare. */
export interface IndexedCall {
  readonly step: ToolStep;
  /** Zero-based index of the turn. */
  readonly turn: number;
  /** Position among the calls of the session. */
  readonly index: number;
  /** Equal only for calls of the same tool with equal arguments. */
  readonly key: string;
  /** The tool's entry in the turn's catalogue: null if it has none, undefined if there is no catalogue. */
  readonly tool: Tool | null | undefined;
  readonly effect: ToolEffect;
  /** Why the call counts as a state change; null if it does not. */
  readonly changeSource: 'annotation' | 'configuration' | 'name' | null;
  /** The call failed, according to the trace or to its result. */
  readonly failed: boolean;
  /** Increases with every call that may have changed something. Nothing changed between two calls of the same epoch. */
  readonly epoch: number;
}

/** What rules check: the session and a shared index, built on first use. */
export interface RuleView {
  readonly session: Session;
  readonly calls: readonly IndexedCall[];
  /** The calls of each turn, by the turn's index. */
  readonly callsByTurn: readonly (readonly IndexedCall[])[];
  /** The calls that changed state, as far as their tools and results show. */
  readonly changes: readonly IndexedCall[];
  /** The turns whose answers contain a digit. The other answers state no figure, date or identifier. */
  readonly turnsWithDigits: ReadonlySet<number>;
  readonly kind: SessionKind;
  /** The user messages can be interpreted: written by people, completely recorded, and in English. */
  readonly hasReadableUsers: boolean;
  /** The texts of the agent that contain a marker phrase, such as an expression of doubt. */
  readonly textsWithMarkers: readonly AgentText[];
  /** The values that the agent stated or passed to calls without having seen them. */
  readonly grounding: Grounding;
  /** Creates evidence in the turn's own file. */
  evidence(turn: number, pointer: Pointer, note: string): Evidence;
}

/** @param changesState whether the user configured a tool as state-changing, whatever its name says */
export function createRuleView(session: Session, changesState: ToolNameTest = () => false): RuleView {
  const index = lazy(() => indexCalls(session, changesState));
  const changes = lazy(() => index().calls.filter(isSuccessfulChange));
  const withDigits = lazy(() => turnsWithDigits(session));
  const kind = lazy(() =>
    sessionKind(
      session,
      index().calls.map(({ step }) => step.name),
    ),
  );
  const readableUsers = lazy(() => areUserMessagesReadable(session));
  const withMarkers = lazy(() => findTextsWithMarkers(session));
  const grounding = lazy(() => checkGrounding(session, index().byTurn, withDigits()));
  return {
    session,
    get kind() {
      return kind();
    },
    get hasReadableUsers() {
      return readableUsers();
    },
    get textsWithMarkers() {
      return withMarkers();
    },
    get grounding() {
      return grounding();
    },
    get calls() {
      return index().calls;
    },
    get callsByTurn() {
      return index().byTurn;
    },
    get changes() {
      return changes();
    },
    get turnsWithDigits() {
      return withDigits();
    },
    evidence(turn, pointer, note) {
      const file = session.turns[turn]?.file;
      return file === undefined || file === session.source.file ? { pointer, note } : { pointer, note, file };
    },
  };
}

function turnsWithDigits({ turns }: Session): ReadonlySet<number> {
  const matchingTurns = new Set<number>();
  for (const [turn, { output }] of turns.entries()) if (output !== null && /\d/.test(output)) matchingTurns.add(turn);
  return matchingTurns;
}

function indexCalls(session: Session, changesState: ToolNameTest): { calls: IndexedCall[]; byTurn: IndexedCall[][] } {
  const calls: IndexedCall[] = [];
  const byTurn: IndexedCall[][] = [];
  const catalogueOf = memoize((tools: readonly Tool[] | undefined) => createToolLookup(tools, changesState));
  let epoch = 0;
  for (const [turn, content] of session.turns.entries()) {
    const lookUp = catalogueOf(availableTools(session, content));
    const callsOfTurn: IndexedCall[] = [];
    for (const step of agentToolCalls(content)) {
      const index = calls.length;
      const { tool, effect, changeSource } = lookUp(step);
      const failed = step.outcome === 'error' || (step.outcome === 'ok' && reportsFailure(step.result, effect));
      const call: IndexedCall = {
        step,
        turn,
        index,
        key: callKey(step, index),
        tool,
        effect,
        changeSource,
        failed,
        epoch,
      };
      if (mayHaveChangedState(call)) epoch += 1;
      calls.push(call);
      callsOfTurn.push(call);
    }
    byTurn.push(callsOfTurn);
  }
  return { calls, byTurn };
}

/** What a tool's name and catalogue entry tell about a call. */
type ToolFacts = Pick<IndexedCall, 'tool' | 'effect' | 'changeSource'>;

/** Looks up calls in a catalogue. Each name is parsed once, since a session calls few tools many times. */
function createToolLookup(tools: readonly Tool[] = [], changesState: ToolNameTest): (step: ToolStep) => ToolFacts {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const byLocalName = lazy(() => new Map(tools.map((tool) => [localName(tool.name), tool])));
  const nothing = tools.length === 0 ? undefined : null;
  const exactly = memoize((name: string) => toolFacts(name, byName.get(name) ?? nothing, changesState));
  const likely = memoize((name: string) => {
    const tool = byName.get(name) ?? byLocalName().get(localName(name));
    return toolFacts(name, tool ?? nothing, changesState);
  });
  // One layer of a trace may write a tool's namespace that another omits. A failed call needs the exact name.
  return ({ name, outcome }) => (outcome === 'error' ? exactly : likely)(name);
}

function toolFacts(name: string, tool: Tool | null | undefined, changesState: ToolNameTest): ToolFacts {
  const configured = changesState(name);
  const effect = configured ? 'changes' : toolEffect(name, tool);
  const byName = tool?.changesState === undefined ? 'name' : 'annotation';
  return { tool, effect, changeSource: effect !== 'changes' ? null : configured ? 'configuration' : byName };
}

function isSuccessfulChange(call: IndexedCall): boolean {
  return call.effect === 'changes' && hasSucceeded(call);
}

/** Whether the call has a result that reports no failure. */
export function hasSucceeded({ step, failed }: IndexedCall): boolean {
  return step.outcome === 'ok' && !failed;
}

/** A rejected call changed nothing. A call that was interrupted may have changed something. */
function mayHaveChangedState({ step, effect, failed }: IndexedCall): boolean {
  if (effect === 'reads' || step.outcome === 'rejected') return false;
  return !failed || looksTransient(errorText(step));
}

function callKey(step: ToolStep, index: number): string {
  try {
    return `${step.name}\n${canonicalJson(step.arguments)}`;
  } catch {
    // Nested too deeply for the stack: equal to no other call.
    return `${step.name}\n#${index}`;
  }
}

/** Whether two calls have equal results; false if either has none. */
export function hasSameResult(a: ToolStep, b: ToolStep): boolean {
  if (a.outcome !== b.outcome || (a.result === undefined && a.error === undefined)) return false;
  try {
    return a.error === b.error && jsonEqual(a.result, b.result);
  } catch {
    return false;
  }
}

/** The error of a failed call as text; empty if it has an unknown shape. */
export function errorText({ error, result }: ToolStep): string {
  return error ?? failureMessage(result);
}
