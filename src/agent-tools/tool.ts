import { createHash } from 'node:crypto';
import * as z from 'zod';
import { explainIssues } from '../config/schema-errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { estimateTokens } from '../core/text/estimate-tokens.ts';
import { DATA_NOTE, linePage, MAX_TOKENS } from '../reports/agent-text.ts';
import type { ProjectRuns } from './project-runs.ts';
import type { ProjectTraces } from './project-traces.ts';
import { ToolError } from './tool-error.ts';
import type { EvaluateTrace } from './trace-evaluation.ts';

/** What the tools of one project work on. */
export interface AgentToolContext {
  readonly runs: ProjectRuns;
  readonly traces: ProjectTraces;
  /** Null where something else evaluates. */
  readonly evaluate: EvaluateTrace | null;
  readonly signal: AbortSignal;
}

/** What a tool has to say: a line about the whole, then lines that are given in pages. */
export interface AgentToolAnswer {
  readonly head: string;
  readonly items: readonly (() => string)[];
  /** Instead of lines, where there is none. */
  readonly nothing: string;
  /** What a page belongs to: everything that decides which lines there are. */
  readonly key: readonly unknown[];
  /** What to call for the next page besides the cursor, by names of arguments; values are ours, or those of the call. */
  readonly again: Readonly<Record<string, string>>;
  /** The tool that has the next page; by default the same. */
  readonly nextTool?: string;
  /** The cursor behind a line, where it is not its position. */
  readonly cursor?: { after(position: number): string; find(cursor: string): number };
}

/** A tool for coding agents. */
export interface AgentTool {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses a tool. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** Whether it only reads what is there. */
  readonly isReadOnly: boolean;
  /** @throws ToolError; whatever reading runs and files throws */
  call(args: unknown, context: AgentToolContext): Promise<string>;
}

interface ToolDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: Shape;
  readonly isReadOnly?: false;
  answer(args: z.output<z.ZodObject<Shape>>, context: AgentToolContext): Promise<AgentToolAnswer>;
}

const PAGE_ARGS = {
  cursor: z.string().max(200).optional().describe('Continues an answer; its last line has the value.'),
  maxTokens: z
    .number()
    .int()
    .min(1000)
    .max(8000)
    .default(MAX_TOKENS)
    .describe(`Length of the answer at most (default ${MAX_TOKENS}).`),
};

const PAGE_SCHEMA = z.object(PAGE_ARGS);

export const RUN_ARG = z
  .string()
  .min(1)
  .max(200)
  .default('last')
  .describe('A run of this project: its id, name or branch, "last", "last~1" or "baseline" (default "last").');

const session = z.union([z.string().min(1).max(500), z.number().int().min(1)]);
export const SESSION_ARG = session.optional().describe('A session of the run: its number in the answers, or its id.');

export function defineTool<Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): AgentTool {
  const { name, title, description, args: shape, isReadOnly = true } = definition;
  const own = z.object(shape);
  const schema = z.strictObject({ ...shape, ...PAGE_ARGS });
  return {
    name,
    title,
    description,
    isReadOnly,
    inputSchema: jsonSchemaOf(schema),
    async call(args, context) {
      checkArguments(schema, args ?? {}, name);
      const { cursor, maxTokens } = PAGE_SCHEMA.parse(args ?? {});
      return page(await definition.answer(own.parse(args ?? {}), context), { name, cursor, maxTokens });
    },
  };
}

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return json;
}

/** @throws ToolError with a sentence for each argument that is wrong */
function checkArguments(schema: z.ZodType, args: unknown, name: string): void {
  if (!isObject(args)) throw new ToolError(`The arguments of ${name} are an object.`);
  const parsed = schema.safeParse(args);
  if (parsed.success) return;
  const issues = explainIssues(parsed.error.issues.slice(0, MAX_ISSUES), schema, args, []);
  throw new ToolError(`${name}: ${issues.map(({ message }) => message).join(' ')}`);
}

const MAX_ISSUES = 5;

/** For the line about the page. */
const LAST_LINE_TOKENS = 90;

interface PageRequest {
  readonly name: string;
  readonly cursor: string | undefined;
  readonly maxTokens: number;
}

/** @throws ToolError for a cursor of something else */
function page(answer: AgentToolAnswer, { name, cursor, maxTokens }: PageRequest): string {
  const { head, items, nothing, again, nextTool = name } = answer;
  const cursors = answer.cursor ?? positionCursors(answer, nextTool);
  const from = cursor === undefined ? 0 : cursors.find(cursor);
  if (items.length === 0) return `${head}\n${nothing}`;
  const start = `${head}\n${DATA_NOTE}`;
  const { lines, last, range } = linePage(items, maxTokens - estimateTokens(start) - LAST_LINE_TOKENS, from);
  const call = Object.entries({ ...again, cursor: cursors.after(last - 1) });
  const repeated = call.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(', ');
  const more = nextTool === name ? 'The same call again with' : `${nextTool} with`;
  const end =
    last === items.length ? (from > 0 ? [`${range}, the end.`] : []) : [`${range}. For more: ${more} ${repeated}.`];
  return [start, ...lines, ...end].join('\n');
}

/** A position, and a hash of what it is a position in. */
function positionCursors({ key, items }: AgentToolAnswer, tool: string): NonNullable<AgentToolAnswer['cursor']> {
  const text = JSON.stringify([tool, ...key, items.length]);
  const hash = createHash('sha256').update(text).digest('base64url').replace(/[-_]/g, '').slice(0, 6);
  return {
    after: (position) => `${position + 1}.${hash}`,
    find(cursor) {
      const [position = '', of] = cursor.split('.');
      const from = /^\d{1,9}$/.test(position) ? Number(position) : -1;
      if (of === hash && from > 0 && from < items.length) return from;
      throw new ToolError(
        'This cursor belongs to another call, or what it continues has changed. Use it with the arguments of the answer that has it, or leave it out to begin again.',
      );
    },
  };
}
