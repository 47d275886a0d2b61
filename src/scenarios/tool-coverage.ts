import { isObject } from '../core/json.ts';
import type { Session, Tool, ToolStep } from '../core/session.ts';
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

/** Values of an argument beyond which they are no choice, but data. */
const MAX_VALUES = 20;
/** Different values of an argument that are counted: more than a schema may list, so that memory does not grow. */
const MAX_COUNTED = 200;

/** Counts which tools, arguments and error results the calls of sessions had. Only what was observed counts. */
export class ToolCoverage {
  readonly #tools = new Map<string, CountedTool>();

  /** A tool that could be called, whether it was or not. */
  addTool(name: string, schema?: unknown): void {
    this.#tool(name).describe(schema);
  }

  addSession(session: Session): void {
    for (const tool of session.tools ?? []) this.#describe(tool);
    for (const turn of session.turns) {
      for (const tool of turn.tools ?? []) this.#describe(tool);
      for (const step of allSteps(turn)) {
        if (step.type === 'tool' && step.requestedBy === 'agent') this.#tool(step.name).count(step);
      }
    }
  }

  /** The tools in the order in which they were added. */
  get tools(): readonly CoveredTool[] {
    return Array.from(this.#tools.values(), (tool) => tool.summary());
  }

  #describe({ name, inputSchema }: Tool): void {
    this.addTool(name, inputSchema);
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

  count({ arguments: args, outcome }: ToolStep): void {
    this.#calls += 1;
    if (outcome === 'error') this.#failed += 1;
    // A call whose arguments are no object had none that can be named.
    if (!isObject(args)) return;
    for (const [name, value] of Object.entries(args)) {
      const argument = this.#argument(name);
      argument.times += 1;
      const text = JSON.stringify(value);
      const times = argument.values.get(text);
      if (times !== undefined || argument.values.size < MAX_COUNTED) argument.values.set(text, (times ?? 0) + 1);
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
