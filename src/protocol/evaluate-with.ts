import * as z from 'zod/mini';
import { evaluateParams, evaluateResult, fileUri } from './messages.ts';
import { judgeChoice } from './models.ts';
import { defineRequest } from './rpc.ts';

/** What one evaluation does otherwise than the configuration says. */
const overrides = z.object({
  judge: z.optional(judgeChoice),
  /** Only these are computed. */
  metrics: z.optional(z.readonly(z.array(z.string()).check(z.minLength(1)))),
});
export type EvaluationOverrides = z.infer<typeof overrides>;

/** As `evaluate`, with a judge or metrics of its own. The configuration stays as it is. */
export const evaluateWith = defineRequest(
  'turnwise/evaluateWith',
  z.extend(evaluateParams, { overrides }),
  evaluateResult,
);

/** The metrics that an evaluation of a file or folder could compute, those of its configuration included. */
export const metricChoices = defineRequest(
  'turnwise/metricChoices',
  z.object({ uri: fileUri }),
  z.object({
    metrics: z.readonly(
      z.array(
        z.object({
          name: z.string(),
          question: z.string(),
          scope: z.enum(['turn', 'session']),
          usesJudge: z.boolean(),
        }),
      ),
    ),
  }),
);
