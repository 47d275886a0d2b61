import * as z from 'zod/mini';
import { errorMessage } from '../core/error-message.ts';
import { fileUri } from './messages.ts';
import { count, list } from './report-values.ts';
import { type CancellationToken, defineRequest, type RequestHandler, type RequestSender } from './rpc.ts';

/** What the report panel asks of the editor, and hears from it, besides the report itself. */

const session = z.string();
const empty = z.object({});
const target = z.object({ uri: fileUri, pointer: z.string() });

/** Shows a value in its file; with `focus` the cursor goes there too. */
export const reveal = defineRequest('turnwise/panel/reveal', z.object({ target, focus: z.boolean() }), empty);

/** Goes back to the file. */
export const focusFile = defineRequest('turnwise/panel/leave', z.object({ session }), empty);

/** Evaluates the file of a session again; answered when that is over. */
export const reevaluate = defineRequest('turnwise/panel/evaluate', z.object({ session }), empty);

/** Stops all evaluations that are going on. */
export const stopEvaluation = defineRequest('turnwise/panel/stop', empty, empty);

/**
 * The user has selected a turn in the panel, by whatever means: the editor may show its line. Not to be sent for what a
 * `select` event has selected.
 */
export const turnSelected = defineRequest('turnwise/panel/selected', z.object({ session, turn: count }), empty);

/** The panel goes on with another session of its file: it is what the editor follows from then on. */
export const switchSession = defineRequest('turnwise/panel/switch', z.object({ session }), empty);

/** Opens an address in the browser after the user has seen all of it and agreed; http and https only. */
export const openLink = defineRequest(
  'turnwise/panel/link',
  z.object({ url: z.string() }),
  z.object({ opened: z.boolean() }),
);

/** Opens the page of a rule. */
export const openRule = defineRequest('turnwise/panel/rule', z.object({ rule: z.string() }), empty);

/** Puts a turn, or the whole session, on the clipboard as Markdown. */
export const copy = defineRequest(
  'turnwise/panel/copy',
  z.object({ session, turn: z.nullable(count) }),
  /** False where there was nothing to copy; the editor has said why. */
  z.object({ copied: z.boolean() }),
);

/** A turn, or the whole session, as Markdown in which the trace is only text; null when it cannot be read again. */
export const markdown = defineRequest(
  'turnwise/markdown',
  z.object({ session, turn: z.nullable(count) }),
  z.object({ text: z.nullable(z.string()) }),
);

/** What a person can have an opinion of. */
export const feedbackTarget = z.union([
  z.object({ type: z.literal('turn') }),
  z.object({ type: z.literal('metric'), metric: z.string() }),
  z.object({ type: z.literal('rule'), rule: z.string() }),
  /** A failure that a model found, and no rule. */
  z.object({ type: z.literal('label'), label: z.string() }),
]);
export type FeedbackTarget = z.infer<typeof feedbackTarget>;

const feedbackParams = z.object({
  session,
  /** Zero-based; null: about the session as a whole. */
  turn: z.nullable(count),
  of: feedbackTarget,
  /** Null takes it back. */
  feedback: z.nullable(
    z.object({ value: z.enum(['up', 'down']), note: z.nullable(z.string().check(z.maxLength(4000))) }),
  ),
});
export type FeedbackParams = z.infer<typeof feedbackParams>;

/**
 * Writes what a person thinks into the sidecar beside the trace, or takes it back. The answer is a sentence when nothing was
 * written. Rows show it when they are asked for again, which an event tells.
 */
export const saveFeedback = defineRequest(
  'turnwise/opinion',
  feedbackParams,
  z.union([z.object({ written: z.string() }), z.object({ refused: z.string() })]),
);

const promptCall = z.object({
  /** `provider/model`; null where none is configured: any would get it so. */
  judge: z.nullable(z.string()),
  /** Names of all questions that travel in the call. */
  questions: list(z.string()),
  /** About so many. */
  tokens: count,
  /** How often it is sent. */
  times: count,
  system: z.string(),
  /** Of the message to the model, in order. */
  parts: list(z.string()),
  /** Of the answer, as JSON. */
  schema: z.string(),
});
export type PromptCall = z.infer<typeof promptCall>;

/** The calls that a metric makes of a model about a turn, or about the session, word by word. Nothing is sent. */
export const prompt = defineRequest(
  'turnwise/prompt',
  z.object({ session, turn: z.nullable(count), metric: z.string() }),
  z.object({
    calls: list(promptCall),
    /** What to know of them, or why there are none. */
    sentences: list(z.string()),
  }),
);

/** Survives a reload of the window. */
export const panelState = z.object({
  session,
  turn: z.nullable(count),
  /** Whatever else the app wants to find again: tab, filter, what is open. */
  view: z.optional(z.unknown()),
});
export type PanelState = z.infer<typeof panelState>;

/** Sessions are known by the file that they were read from and their id in it. */
export function sessionKey(uri: string, id: string): string {
  return `${uri}#${id}`;
}

/** The file of a session: a URI of a file has no `#` of its own. */
export function sessionUri(key: string): string {
  return key.split('#', 1)[0] ?? key;
}

/** Its id, as the file or its name gives it. */
export function sessionId(key: string): string {
  return key.slice(sessionUri(key).length + 1);
}

/** What the editor tells a panel without being asked. */
const events = z.discriminatedUnion('event', [
  /**
   * Results of the session are others: the header is to be asked for again, and of the turns that are shown those that are named.
   * Null: any may be another.
   */
  z.object({ event: z.literal('changed'), turns: z.nullable(list(count)) }),
  /** A turn is to be selected and brought into sight, of this session or of another one of the file. */
  z.object({ event: z.literal('select'), session, turn: z.nullable(count) }),
]);
export type PanelEvent = z.infer<typeof events>;

/** All may have changed. */
export const ALL_CHANGED = { event: 'changed', turns: null } as const satisfies PanelEvent;

const requestMessage = z.object({ id: z.int(), method: z.string(), params: z.unknown() });
const cancelMessage = z.object({ cancel: z.int() });
const responseMessage = z.union([
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({ id: z.int(), error: z.string() }),
]);

type Post = (message: unknown) => unknown;

/** Why a question that was cancelled has no answer. */
export class RequestCancelled extends Error {}

/** The token of a signal, for `ask`. */
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

/** The panel's end of the way to the editor. What it does not understand is not for it. */
export class PanelClient implements RequestSender {
  readonly #post: Post;
  readonly #onEvent: (event: PanelEvent) => void;
  readonly #open = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #last = 0;

  constructor(post: Post, onEvent: (event: PanelEvent) => void) {
    this.#post = post;
    this.#onEvent = onEvent;
  }

  /** Rejects with `Cancelled` as soon as it is cancelled. */
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
    const asked = this.#open.get(data.id);
    this.#open.delete(data.id);
    if ('error' in data) asked?.reject(new Error(data.error));
    else asked?.resolve(data.result);
  }
}

/** The editor's end. What a handler throws goes to the panel as a sentence. */
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

  /** The panel is closed, or shows another page: nothing that it asked for is needed any more. */
  stop(): void {
    for (const stop of this.#going.values()) stop.abort();
  }
}
