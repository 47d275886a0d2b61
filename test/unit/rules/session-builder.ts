import type { Session, Step, Tool, ToolStep, Turn } from '../../../src/core/session.ts';
import { collectFindings, RULES, type RuleSettings } from '../../../src/rules/index.ts';

type WithoutPointer<T> = T extends Step ? Omit<T, 'pointer' | 'resultPointer'> : never;
type StepSpec = WithoutPointer<Step>;

interface TurnSpec extends Partial<Pick<Turn, 'captured' | 'tools' | 'file'>> {
  readonly user: string | null;
  readonly steps?: readonly StepSpec[];
  readonly agent: string | null;
}

/** A call that returned something. */
export function ok(name: string, args: ToolStep['arguments'] = {}, result: unknown = { done: true }): StepSpec {
  return { type: 'tool', name, arguments: args, result, outcome: 'ok', requestedBy: 'agent' };
}

export function failed(name: string, args: ToolStep['arguments'], error: string): StepSpec {
  return { type: 'tool', name, arguments: args, error, outcome: 'error', requestedBy: 'agent' };
}

export function pending(name: string, args: ToolStep['arguments'] = {}): StepSpec {
  return { type: 'tool', name, arguments: args, outcome: 'missing', requestedBy: 'agent' };
}

export function retrieved(...texts: string[]): StepSpec {
  return { type: 'retrieval', documents: texts.map((text) => ({ text })) };
}

/** Pointers are `/turns/T`, `…/input`, `…/output`, `…/steps/S` and `…/steps/S/result`. */
export function session(turns: readonly TurnSpec[], tools?: readonly Tool[]): Session {
  return {
    id: 's1',
    source: { file: 'trace.json', format: 'turnwise', pointer: '' },
    ...(tools ? { tools } : {}),
    turns: turns.map(({ user, agent, steps = [], ...rest }, t) => ({
      id: `t${t}`,
      pointer: `/turns/${t}`,
      input: user,
      inputPointer: `/turns/${t}/input`,
      output: agent,
      outputPointer: `/turns/${t}/output`,
      steps: steps.map((step, s): Step => withPointer(step, `/turns/${t}/steps/${s}`)),
      ...rest,
    })),
  };
}

function withPointer(step: StepSpec, pointer: string): Step {
  if (step.type !== 'tool') return { ...step, pointer };
  return { ...step, pointer, ...(step.outcome === 'missing' ? {} : { resultPointer: `${pointer}/result` }) };
}

/** What changes something and what fails would stand in the tests of all other rules. */
const WITHOUT_OBSERVATIONS: RuleSettings = {
  'state-change': 'off',
  'unrecovered-error': 'off',
  'failure-at-end': 'off',
  'many-failed-calls': 'off',
  'late-handover': 'off',
  'long-session': 'off',
};

/** Settings under which one rule looks alone. */
export function onlyRule(id: string): RuleSettings {
  return Object.fromEntries(RULES.flatMap((rule) => (rule.id === id ? [] : [[rule.id, 'off' as const]])));
}

/** `rule@turn` of every finding, in order; observations of changes and errors are left out, unless the settings say otherwise. */
export function findingIds(of: Session, settings = WITHOUT_OBSERVATIONS): string[] {
  return collectFindings(of, { settings }).map(({ rule, turn }) => `${rule}@${turn}`);
}

export function findingMessages(of: Session, settings = WITHOUT_OBSERVATIONS): string[] {
  return collectFindings(of, { settings }).map(({ message }) => message);
}

/** Pointers of the evidence of the first finding. */
export function evidencePointers(of: Session, settings = WITHOUT_OBSERVATIONS): string[] {
  return (collectFindings(of, { settings })[0]?.evidence ?? []).map(({ pointer }) => pointer);
}

export function tool(
  name: string,
  properties: Readonly<Record<string, unknown>> = {},
  required: readonly string[] = [],
): Tool {
  return { name, inputSchema: { type: 'object', properties, required } };
}
