import * as z from 'zod/mini';
import {
  copy,
  copyLocation,
  openLink,
  type PanelState,
  RequestCancelled,
  runCommand,
  toCancellationToken,
  turnSelected,
} from '../../src/protocol/panel.ts';
import { type CancellationToken, type RequestSender, sendRequest } from '../../src/protocol/rpc.ts';
import { type OverviewState, openSessionReport } from '../../src/protocol/sessions-overview.ts';
import type { EditorConnection, Host, OverviewHost } from '../host.ts';
import type { PageAnswers } from './page-answers.ts';

/** What is shown: null for the run. */
export interface ShownPage {
  readonly session: string;
  readonly turn: number | null;
}

/** Connects the app to the data in the page, instead of an editor. */
export class PageHost {
  readonly #answers: PageAnswers;
  readonly #show: (page: ShownPage | null) => void;
  /** What each view was left with. */
  readonly #panels = new Map<string, PanelState>();
  #overview: OverviewState = { scope: null };

  constructor(answers: PageAnswers, show: (page: ShownPage | null) => void) {
    this.#answers = answers;
    this.#show = show;
  }

  /** For the report of a session. */
  session({ session, turn }: ShownPage): Host {
    const known = this.#panels.get(session);
    return {
      ...this.#connection,
      initialState: known && turn === null ? known : { session, turn },
      saveState: (state) => void this.#panels.set(session, state),
      isPinned: () => false,
    };
  }

  /** For the table of sessions. */
  overview(): OverviewHost {
    return {
      ...this.#connection,
      initialState: this.#overview,
      saveState: (state) => {
        this.#overview = state;
      },
    };
  }

  readonly #sender: RequestSender = {
    sendRequest: async (method, params, token) => {
      const answer = await this.#request(method, params, token);
      if (token?.isCancellationRequested) throw new RequestCancelled(method);
      return answer;
    },
  };

  readonly #connection: EditorConnection = {
    surface: 'page',
    request: (type, params, signal) => sendRequest(this.#sender, type, params, signal && toCancellationToken(signal)),
    onEvent: () => () => {},
  };

  async #request(method: string, params: unknown, token: CancellationToken | undefined): Promise<unknown> {
    switch (method) {
      case openSessionReport.method:
        this.#show({ session: z.parse(openSessionReport.params, params).session, turn: null });
        return {};
      case runCommand.method:
        this.#show(null);
        return {};
      case turnSelected.method:
        return {};
      case openLink.method:
        return { opened: openOutside(z.parse(openLink.params, params).url) };
      case copyLocation.method: {
        const text = await this.#locationOf(z.parse(copyLocation.params, params));
        return { text, copied: await copyText(text) };
      }
      case copy.method: {
        const report = await this.#answers.session(z.parse(copy.params, params).session);
        return { copied: report?.issue != null && (await copyText(report.issue)) };
      }
    }
    return await this.#answers.answer(method, params, toAbortSignal(token));
  }

  /** As `file:line`; where the line is not known, that of what the value is in. */
  async #locationOf({ session, target: { uri, pointer } }: z.infer<typeof copyLocation.params>): Promise<string> {
    const file = decodeURIComponent(uri.replace(/^file:(?:\/\/)?/, ''));
    const lines = (await this.#answers.session(session))?.lines[uri] ?? {};
    for (let holder = pointer; ; holder = holder.slice(0, holder.lastIndexOf('/'))) {
      const line = lines[holder];
      if (line !== undefined) return holder === pointer ? `${file}:${line}` : `${file}:${line} (${pointer})`;
      if (holder === '') return pointer === '' ? file : `${file} (${pointer})`;
    }
  }
}

function toAbortSignal(token: CancellationToken | undefined): AbortSignal {
  const controller = new AbortController();
  if (token?.isCancellationRequested) controller.abort();
  token?.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

async function copyText(text: string): Promise<boolean> {
  return await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Asks before it leaves the page. */
function openOutside(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !confirm(`Open ${url} in a new tab?`)) return false;
  open(url, '_blank', 'noopener,noreferrer');
  return true;
}
