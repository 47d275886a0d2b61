import * as z from 'zod/mini';
import { errorMessage } from '../core/error-message.ts';
import { findingArgument } from './finding-edits.ts';
import { fileUri } from './messages.ts';
import { count, list } from './report-values.ts';
import { type CancellationToken, defineRequest, type RequestHandler, type RequestSender } from './rpc.ts';

/** Messages between the report panel and the editor, besides the report itself. */

const session = z.string();
const empty = z.object({});
const target = z.object({ uri: fileUri, pointer: z.string() });

/** Shows a value in its file; with `focus` the editor gets the focus. */
export const reveal = defineRequest('turnwise/panel/reveal', z.object({ target, focus: z.boolean() }), empty);

/** Copies where a value is, as `file:line`: what an HTML report has instead of `reveal`. */
export const copyLocation = defineRequest(
  'turnwise/panel/copyLocation',
  z.object({ session, target: z.object({ uri: z.string(), pointer: z.string() }) }),
  z.object({ text: z.string(), copied: z.boolean() }),
);

/** Moves the focus to the file. */
export const focusFile = defineRequest('turnwise/panel/focusFile', z.object({ session }), empty);

/** Evaluates the file of a session again; answers when it has finished. */
export const reevaluate = defineRequest('turnwise/panel/evaluate', z.object({ session }), empty);

/** Stops all running evaluations. */
export const stopEvaluation = defineRequest('turnwise/panel/stop', empty, empty);

/** The user selected a turn in the panel: the editor may reveal it. Not sent for a turn that a `select` event selected. */
export const turnSelected = defineRequest('turnwise/panel/selected', z.object({ session, turn: count }), empty);

/** Keeps the panel open: another report then opens in another panel. */
export const keepOpen = defineRequest('turnwise/panel/keep', empty, empty);

const panelCommand = z.enum(['showSessions', 'chooseJudge', 'showLog', 'addToTests']);
export type PanelCommand = z.infer<typeof panelCommand>;

/** Runs a command of the editor for a session, its file, or a turn. */
export const runCommand = defineRequest(
  'turnwise/panel/command',
  z.object({ session, command: panelCommand, turn: z.optional(count) }),
  empty,
);

/** Opens an http or https URL in the browser after the user has confirmed it. */
export const openLink = defineRequest(
  'turnwise/panel/link',
  z.object({ url: z.string() }),
  z.object({ opened: z.boolean() }),
);

/** Suppresses a finding of a rule, or sets the severity of the rule, after questions to the user. */
export const editFinding = defineRequest(
  'turnwise/panel/finding',
  z.object({ edit: z.enum(['suppress', 'severity']), ...findingArgument.shape }),
  empty,
);

/** Opens the documentation of a rule. */
export const openRule = defineRequest('turnwise/panel/rule', z.object({ rule: z.string() }), empty);

/** `issue`: the headline, the problems and the turn of the headline. */
const markdownForm = z.optional(z.literal('issue'));

const markdownParams = z.object({ session, turn: z.nullable(count), as: markdownForm });
export type MarkdownParams = z.infer<typeof markdownParams>;

/** Copies a turn, the session or an issue about it as Markdown. */
export const copy = defineRequest(
  'turnwise/panel/copy',
  markdownParams,
  /** False when it failed; the editor shows why. */
  z.object({ copied: z.boolean() }),
);

/** A turn or the session as Markdown, with the trace's text escaped; null when the file changed. */
export const markdown = defineRequest('turnwise/markdown', markdownParams, z.object({ text: z.nullable(z.string()) }));

/** What feedback can be about. */
export const feedbackTarget = z.union([
  z.object({ type: z.literal('turn') }),
  z.object({ type: z.literal('metric'), metric: z.string() }),
  z.object({ type: z.literal('rule'), rule: z.string() }),
  /** A problem that a model found, without a rule. */
  z.object({ type: z.literal('label'), label: z.string() }),
]);
export type FeedbackTarget = z.infer<typeof feedbackTarget>;

const feedbackParams = z.object({
  session,
  /** Zero-based; null: about the session as a whole. */
  turn: z.nullable(count),
  of: feedbackTarget,
  /** Null removes it. */
  feedback: z.nullable(
    z.object({ value: z.enum(['up', 'down']), note: z.nullable(z.string().check(z.maxLength(4000))) }),
  ),
});
export type FeedbackParams = z.infer<typeof feedbackParams>;

/** Saves feedback to the sidecar of the trace, or removes it. Answers why if nothing was saved. Rows change with an event. */
export const saveFeedback = defineRequest(
  'turnwise/opinion',
  feedbackParams,
  z.union([z.object({ written: z.string() }), z.object({ error: z.string() })]),
);

const promptCall = z.object({
  /** `provider/model`; null where none is configured: any would get it so. */
  judge: z.nullable(z.string()),
  /** The names of all questions in the call. */
  questions: list(z.string()),
  /** An estimate. */
  tokens: count,
  /** How often the call is sent. */
  times: count,
  system: z.string(),
  /** The parts of the message to the model, in order. */
  parts: list(z.string()),
  /** The schema of the answer, as JSON. */
  schema: z.string(),
});
export type PromptCall = z.infer<typeof promptCall>;

/** The model calls of a metric for a turn or for the session, verbatim. Nothing is sent. */
export const prompt = defineRequest(
  'turnwise/prompt',
  z.object({ session, turn: z.nullable(count), metric: z.string() }),
  z.object({
    calls: list(promptCall),
    /** Notes on the calls, or why there are none. */
    sentences: list(z.string()),
  }),
);

/** The panel's state, restored after a reload. */
export const panelState = z.object({
  session,
  turn: z.nullable(count),
  /** Whether the panel is kept open. */
  isPinned: z.optional(z.boolean()),
  /** Further state of the app: tab, filter, expanded rows. */
  view: z.optional(z.unknown()),
});
export type PanelState = z.infer<typeof panelState>;

/** The key of a session: its file and its id. */
export function sessionKey(uri: string, id: string): string {
  return `${uri}#${id}`;
}

/** The file of a session key. A file URI contains no `#`. */
export function sessionUri(key: string): string {
  return key.split('#', 1)[0] ?? key;
}

/** The id of a session key. */
export function sessionId(key: string): string {
  return key.slice(sessionUri(key).length + 1);
}

/** Events that the editor sends to a panel. */
const events = z.discriminatedUnion('event', [
  /** The results changed: request the header again, and the visible ones of these turns. Null: any turn. */
  z.object({ event: z.literal('changed'), turns: z.nullable(list(count)) }),
  /** Selects and reveals a turn, of this session or of another one; null: the first problem. */
  z.object({ event: z.literal('select'), session, turn: z.nullable(count) }),
  /** The panel is kept open. */
  z.object({ event: z.literal('pinned') }),
]);
export type PanelEvent = z.infer<typeof events>;

/** The event for unknown changes. */
export const ALL_CHANGED = { event: 'changed', turns: null } as const satisfies PanelEvent;

const requestMessage = z.object({ id: z.int(), method: z.string(), params: z.unknown() });
const cancelMessage = z.object({ cancel: z.int() });
const responseMessage = z.union([
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({ id: z.int(), error: z.string() }),
]);

type Post = (message: unknown) => unknown;

/** The error of a cancelled request. */
export class RequestCancelled extends Error {}

/** Converts an abort signal to a cancellation token. */
export function toCancellationToken(signal: AbortSignal): CancellationToken {
  return {
    get isCancellationRequested() {
      return signal.aborted;
    },
    onCancellationRequested(listener) {
      const tell = () => void listener(undefined);
      signal.addEventListener('abort', tell, { once: true });
      return { dispose: () => signal.removeEventListener('abort', tell) };
    },
  };
}

/** The panel's end of the connection to the editor. Unknown messages are ignored. */
export class PanelClient implements RequestSender {
  readonly #post: Post;
  readonly #onEvent: (event: PanelEvent) => void;
  readonly #open = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #last = 0;

  constructor(post: Post, onEvent: (event: PanelEvent) => void) {
    this.#post = post;
    this.#onEvent = onEvent;
  }

  /** Rejects with `RequestCancelled` as soon as it is cancelled. */
  sendRequest(method: string, params: unknown, token?: CancellationToken): Promise<unknown> {
    if (token?.isCancellationRequested) return Promise.reject(new RequestCancelled(method));
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#open.set(id, { resolve, reject });
    const listening = token?.onCancellationRequested(() => {
      if (!this.#open.delete(id)) return;
      this.#post({ cancel: id });
      reject(new RequestCancelled(method));
    });
    this.#post({ id, method, params });
    return listening ? promise.finally(() => listening.dispose()) : promise;
  }

  receive(message: unknown): void {
    const event = z.safeParse(events, message);
    if (event.success) this.#onEvent(event.data);
    const { success, data } = z.safeParse(responseMessage, message);
    if (!success) return;
    const pending = this.#open.get(data.id);
    this.#open.delete(data.id);
    if ('error' in data) pending?.reject(new Error(data.error));
    else pending?.resolve(data.result);
  }
}

/** The editor's end. The message of an error that a handler throws is sent to the panel. */
export class PanelHost implements RequestHandler {
  readonly #post: Post;
  readonly #handlers = new Map<string, Parameters<RequestHandler['onRequest']>[1]>();
  readonly #going = new Map<number, AbortController>();

  constructor(post: Post) {
    this.#post = post;
  }

  onRequest(method: string, handler: Parameters<RequestHandler['onRequest']>[1]): void {
    this.#handlers.set(method, handler);
  }

  notify(event: PanelEvent): void {
    this.#post(event);
  }

  async receive(message: unknown): Promise<void> {
    const cancelled = z.safeParse(cancelMessage, message);
    if (cancelled.success) this.#going.get(cancelled.data.cancel)?.abort();
    const { success, data } = z.safeParse(requestMessage, message);
    if (!success) return;
    const { id, method, params } = data;
    const stop = new AbortController();
    this.#going.set(id, stop);
    try {
      const handler = this.#handlers.get(method);
      if (!handler) throw new Error(`The panel asked for ${method}, which this version of Turnwise does not answer.`);
      const result = await handler(params, toCancellationToken(stop.signal));
      if (!stop.signal.aborted) this.#post({ id, result });
    } catch (error) {
      if (!stop.signal.aborted) this.#post({ id, error: errorMessage(error) });
    } finally {
      this.#going.delete(id);
    }
  }

  /** Cancels all pending requests of a closed panel. */
  stop(): void {
    for (const stop of this.#going.values()) stop.abort();
  }
}
