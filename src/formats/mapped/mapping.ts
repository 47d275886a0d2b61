import * as z from 'zod';
import { parsePath } from './path.ts';

/**
 * `map` of the configuration: paths into JSON of an unknown shape. Each path is relative to the value that it
 * describes: the file for `sessions`, the session for `messages.path`, the message for `messages.text`.
 */

const path = z
  .string()
  .superRefine((text, context) => {
    const parsed = parsePath(text);
    if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed });
  })
  .meta({ examples: ['data.turns[0]'] });

/** Alternatives; the first path with a match wins. */
const pathList = z.array(path).refine((all) => all.length > 0, 'must contain a path');
const paths = z.union([path, pathList]);

const call = z.strictObject({
  name: paths,
  /** A path to the object of arguments, or one path per argument. */
  arguments: z.union([path, pathList, z.record(z.string(), paths)]).optional(),
  id: paths.optional(),
  result: paths.optional(),
  error: paths.optional(),
  startedAt: paths.optional(),
  endedAt: paths.optional(),
});

/** `call`: the entry is a tool call. `ignore`: the entry is not a message. */
export const ROLES = ['user', 'agent', 'system', 'tool', 'call', 'ignore'] as const;
export type MappedRole = (typeof ROLES)[number];

const messages = z.strictObject({
  path: paths,
  role: paths,
  roles: z.record(z.string(), z.enum(ROLES)).optional(),
  text: paths,
  time: paths.optional(),
  calls: call.extend({ path: paths.optional() }).optional(),
  result: z
    .strictObject({
      value: paths.optional(),
      call: paths.optional(),
      name: paths.optional(),
      error: paths.optional(),
    })
    .optional(),
});

const turns = z.strictObject({
  path: paths,
  id: paths.optional(),
  input: paths,
  output: paths,
  calls: call.extend({ path: paths }).optional(),
  startedAt: paths.optional(),
  endedAt: paths.optional(),
  reference: paths.optional(),
});

/** A name for `--input-format`. */
const name = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .meta({ examples: ['our-logs'] });

export const mappingSchema = z
  .strictObject({
    name: name.default('map'),
    sessions: paths.optional(),
    groupBy: paths.optional(),
    id: paths.optional(),
    goal: paths.optional(),
    system: paths.optional(),
    tools: paths.optional(),
    metadata: paths.optional(),
    outcome: paths.optional(),
    tags: paths.optional(),
    task: z
      .strictObject({
        id: paths,
        trial: paths.optional(),
        dataset: paths.optional(),
        agent: paths.optional(),
      })
      .optional(),
    messages: messages.optional(),
    turns: turns.optional(),
  })
  .refine(({ messages: a, turns: b }) => (a === undefined) !== (b === undefined), {
    error: 'must have either "messages" or "turns"',
  })
  .refine(({ messages: m }) => m?.calls || !Object.values(m?.roles ?? {}).includes('call'), {
    path: ['messages', 'roles'],
    error: 'must come with "calls", which has the path of the name of a call',
  });

/** A validated mapping. */
export type Mapping = z.output<typeof mappingSchema>;
export type MappingPaths = z.output<typeof paths>;
export type CallMapping = z.output<typeof call>;
