import * as z from 'zod/mini';

/** A trace in the event, or at an address. */
const traceSchema = z.union([
  z.strictObject({
    /** A file name: its extension says how it is read. Default: `trace-1.json`. */
    name: z.optional(z.string()),
    /** The text of a trace file, or its JSON value. */
    content: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]),
  }),
  z.strictObject({
    name: z.optional(z.string()),
    /** `https://…`, of a host that the deployment allows. */
    url: z.string(),
  }),
]);

export const evaluationEventSchema = z.strictObject({
  traces: z.array(traceSchema),
  /** As in a configuration file. */
  configuration: z.optional(z.record(z.string(), z.unknown())),
  /** A kind of report, as `turnwise eval --format` names it. Default: `json`. */
  report: z.optional(z.string()),
  agentVersion: z.optional(z.string()),
});

/** What the handler gets. */
export type EvaluationEvent = z.infer<typeof evaluationEventSchema>;

/** What it returns: a report, or a sentence that says why there is none. */
export type EvaluationAnswer =
  | {
      readonly status: 'evaluated';
      readonly verdict: 'passed' | 'failed' | 'undecided';
      /** False where the time limit ended it: the report has what was evaluated. */
      readonly complete: boolean;
      readonly report: { readonly kind: string; readonly mediaType: string; readonly text: string };
    }
  | { readonly status: 'refused'; readonly reason: string };

/** Something about the event cannot be done. The message is a sentence for its sender. */
export class RefusedEvent extends Error {
  override readonly name = 'RefusedEvent';
}
