import { isObject } from '../core/json.ts';
import type { Session, Tool } from '../core/session.ts';
import { allSteps } from '../core/steps.ts';

/** Something of a tool that a call can exercise. */
export interface ToolPart {
  /** `failed`: the tool answered with an error. `value`: one of those that the argument can have. */
  readonly kind: 'argument' | 'value' | 'failed';
  /** "reason", "reason: lost", "an error as the result". */
  readonly label: string;
  /** Calls that had it. */
  readonly times: number;
}

export interface CoveredTool {
  readonly name: string;
  readonly calls: number;
  readonly parts: readonly ToolPart[];
  /** Whether a trace says which arguments it takes; if not, those that no call had are unknown. */
  readonly isDescribed: boolean;
}

/** What a session says about tools, without its texts. */
export interface SessionTools {
  readonly tools: readonly Pick<Tool, 'name' | 'inputSchema'>[];
  readonly calls: readonly ToolUse[];
}

interface ToolUse {
  readonly name: string;
  /** By the names of arguments: the value as JSON, null where it is long. */
  readonly values: Readonly<Record<string, string | null>>;
  /** Whether the tool answered with an error. */
  readonly isFailed: boolean;
}

/** Values of an argument beyond which they are no choice, but data. */
const MAX_VALUES = 20;
/** Different values of an argument that are counted: more than a schema may list, so that memory does not grow. */
const MAX_COUNTED = 200;
/** Of the JSON text of a value, in UTF-16 code units. */
const MAX_VALUE_LENGTH = 100;

/** The tools that a session names, and the agent's calls of tools. */
export function toolsOf(session: Session): SessionTools {
  const catalogues = [session.tools ?? [], ...session.turns.map(({ tools = [] }) => tools)];
  const calls = session.turns.flatMap((turn) =>
    Array.from(allSteps(turn)).flatMap((step): ToolUse[] => {
      if (step.type !== 'tool' || step.requestedBy !== 'agent') return [];
      // A call whose arguments are no object had none that can be named.
      const given = isObject(step.arguments) ? Object.entries(step.arguments) : [];
      const values = Object.fromEntries(given.map(([name, value]) => [name, shortJson(value)]));
      return [{ name: step.name, values, isFailed: step.outcome === 'error' }];
    }),
  );
  return { tools: catalogues.flat().map(({ name, inputSchema }) => ({ name, inputSchema })), calls };
}

function shortJson(value: unknown): string | null {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? null : text;
}

/** Counts which tools, arguments and error results the calls of sessions had. Only what was observed counts. */
export class ToolCoverage {
  readonly #tools = new Map<string, CountedTool>();

  /** A tool that could be called, whether it was or not. */
  addTool(name: string, schema?: unknown): void {
    this.#tool(name).describe(schema);
  }

  add({ tools, calls }: SessionTools): void {
    for (const { name, inputSchema } of tools) this.addTool(name, inputSchema);
    for (const call of calls) this.#tool(call.name).count(call);
  }

  /** The tools in the order in which they were added. */
  get tools(): readonly CoveredTool[] {
    return Array.from(this.#tools.values(), (tool) => tool.summary());
  }

  #tool(name: string): CountedTool {
    const known = this.#tools.get(name);
    if (known) return known;
    const tool = new CountedTool(name);
    this.#tools.set(name, tool);
    return tool;
  }
}

interface CountedArgument {
  times: number;
  /** Calls by the JSON text of the value. */
  readonly values: Map<string, number>;
  /** The values that the tool's schema allows, as JSON texts. */
  choices: readonly string[];
}

class CountedTool {
  readonly #name: string;
  readonly #arguments = new Map<string, CountedArgument>();
  #isDescribed = false;
  #calls = 0;
  #failed = 0;

  constructor(name: string) {
    this.#name = name;
  }

  describe(schema: unknown): void {
    if (this.#isDescribed || !isObject(schema) || !isObject(schema.properties)) return;
    this.#isDescribed = true;
    for (const [name, property] of Object.entries(schema.properties)) {
      const choices = isObject(property) && Array.isArray(property.enum) ? property.enum : [];
      this.#argument(name).choices = choices.length > MAX_VALUES ? [] : choices.map((choice) => JSON.stringify(choice));
    }
  }

  count({ values, isFailed }: ToolUse): void {
    this.#calls += 1;
    if (isFailed) this.#failed += 1;
    for (const [name, value] of Object.entries(values)) {
      const argument = this.#argument(name);
      argument.times += 1;
      if (value === null) continue;
      const times = argument.values.get(value);
      if (times !== undefined || argument.values.size < MAX_COUNTED) argument.values.set(value, (times ?? 0) + 1);
    }
  }

  summary(): CoveredTool {
    const parts = Array.from(this.#arguments, ([name, { times, values, choices }]): ToolPart[] => [
      { kind: 'argument', label: name, times },
      ...choices.map(
        (value): ToolPart => ({ kind: 'value', label: `${name}: ${value}`, times: values.get(value) ?? 0 }),
      ),
    ]);
    const failed: ToolPart = { kind: 'failed', label: 'an error as the result', times: this.#failed };
    return { name: this.#name, calls: this.#calls, parts: [...parts.flat(), failed], isDescribed: this.#isDescribed };
  }

  #argument(name: string): CountedArgument {
    const known = this.#arguments.get(name);
    if (known) return known;
    const argument: CountedArgument = { times: 0, values: new Map(), choices: [] };
    this.#arguments.set(name, argument);
    return argument;
  }
}
