import * as z from 'zod';
import { parsePath } from './path.ts';
import { isTaskPattern, taskPatternProblem } from './task-pattern.ts';

/** `tasks` of the configuration: what says which sessions are attempts of one task, for traces of any format. */

const field = z.string().superRefine(addIssue(fieldProblem));
const pattern = z
  .string()
  .superRefine(addIssue(taskPatternProblem))
  .meta({ format: 'regex', examples: ['(?<task>\\w+)-(?<trial>\\d+)'] });

export const taskMappingSchema = z
  .strictObject({
    /** Of a pattern by itself: the file name, or, where it does not match, the session id. */
    by: z
      .union([
        z
          .string()
          .superRefine(addIssue((text) => (isTaskPattern(text) ? taskPatternProblem(text) : fieldProblem(text))))
          .meta({ examples: ['metadata.task', '(?<task>\\w+)-(?<trial>\\d+)'] }),
        z
          .strictObject({ file: pattern.optional(), session: pattern.optional() })
          .refine(({ file, session }) => (file ?? session) !== undefined, 'must have "file", "session" or both'),
      ])
      .optional(),
    trial: field.optional(),
    agent: field.optional(),
  })
  .refine(
    ({ by, trial, agent }) => (by ?? trial ?? agent) !== undefined,
    'must have "by", "trial" or "agent", which say where the task of a session is found',
  );

export type TaskMapping = z.output<typeof taskMappingSchema>;

function addIssue(problemOf: (text: string) => string | null) {
  return (text: string, context: z.RefinementCtx): void => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  };
}

function fieldProblem(text: string): string | null {
  if (text === '') return 'must name a field, such as "metadata.task"';
  if (!text.startsWith('/') && /[\\()*+?^|]/.test(text)) return NO_FIELD;
  const path = parsePath(text);
  return typeof path === 'string' ? path : null;
}

const NO_FIELD =
  'must be a field, such as "metadata.task", or a regular expression that names its groups, such as "(?<task>\\w+)-(?<trial>\\d+)"';
