import { isObject } from '../../core/json.ts';
import type { Session, ToolStep } from '../../core/session.ts';
import { type ArgumentComparison, compareArguments } from './argument-changes.ts';

/** An earlier call of the same tool, and how its arguments differ. */
export interface EarlierCall extends ArgumentComparison {
  /** Zero-based. */
  readonly turn: number;
  readonly step: number;
}

interface LocatedCall {
  readonly turn: number;
  readonly step: number;
  readonly call: ToolStep;
}

/** How many earlier calls of a tool are searched for equal arguments. */
const MAX_SEARCHED = 20;

/** The agent's calls of each tool in a session, without those of sub-agents. */
export class CallHistory {
  readonly #byTool = new Map<string, LocatedCall[]>();
  readonly #positions = new Map<ToolStep, number>();

  constructor(session: Session) {
    for (const [turn, { steps }] of session.turns.entries()) {
      for (const [step, call] of steps.entries()) {
        if (call.type !== 'tool' || call.requestedBy !== 'agent') continue;
        const calls = this.#byTool.get(call.name);
        this.#positions.set(call, calls?.length ?? 0);
        if (calls) calls.push({ turn, step, call });
        else this.#byTool.set(call.name, [{ turn, step, call }]);
      }
    }
  }

  /**
   * The last earlier call with the same arguments, else the previous call if this one looks like another try: that one
   * failed, or at least half of the arguments are equal. Calls without arguments are not compared.
   */
  earlier(call: ToolStep): EarlierCall | null {
    const position = this.#positions.get(call);
    if (position === undefined || hasNoArguments(call)) return null;
    const before = (this.#byTool.get(call.name) ?? []).slice(Math.max(0, position - MAX_SEARCHED), position).reverse();
    let last: EarlierCall | null = null;
    for (const { turn, step, call: previous } of before) {
      const compared = { turn, step, ...compareArguments(previous.arguments, call.arguments) };
      if (compared.changes.length === 0) return compared;
      const isRetry = previous.outcome !== 'ok' || compared.equal >= compared.changes.length;
      if (previous === before[0]?.call && isRetry) last = compared;
    }
    return last;
  }
}

function hasNoArguments({ arguments: args }: ToolStep): boolean {
  return isObject(args) ? Object.keys(args).length === 0 : args === '';
}
