import { basename } from 'node:path';
import { sanitizeLine } from '../../core/sanitize.ts';
import type { Editor } from '../editor.ts';
import type { ConsentFile } from './consent-file.ts';
import type { ModelHost } from './model-hosts.ts';

/** `later`: not for as long as this server runs. */
export type ConsentDecision = 'allow' | 'never' | 'later';

const ANSWERS = { Allow: 'allow', 'Not now': 'later', Never: 'never' } as const satisfies Record<
  string,
  ConsentDecision
>;
const TITLES = ['Allow', 'Not now', 'Never'] as const satisfies readonly (keyof typeof ANSWERS)[];

/** Whose traces would be sent to whom. */
export interface ConsentRequest {
  readonly folder: string;
  readonly host: ModelHost;
  /** Whether the folder has to be named, to be told from others. */
  readonly isMultiRoot: boolean;
  /** Once it is up to a person. */
  readonly onWait: () => void;
}

/** Whether the text of a folder's traces may be sent to a host: what a person says, once, and no file of the folder. */
export class Consent {
  readonly #file: ConsentFile;
  readonly #choose: Editor['choose'];
  /** What is not kept on disk. */
  readonly #session = new Map<string, ConsentDecision>();
  readonly #asking = new Map<string, Promise<ConsentDecision>>();

  constructor(file: ConsentFile, choose: Editor['choose']) {
    this.#file = file;
    this.#choose = choose;
  }

  /** Where answers are kept. */
  get path(): string {
    return this.#file.path;
  }

  /** Resolves at once where it was answered before, in whichever window. */
  async request(sending: ConsentRequest): Promise<ConsentDecision> {
    const about = JSON.stringify([sending.folder, sending.host.host]);
    const pending = this.#asking.get(about);
    // A question that nobody waits for any more still stands in the editor: it is not asked twice.
    if (pending) sending.onWait();
    const asking = pending ?? this.#answered(sending, about);
    this.#asking.set(about, asking);
    return asking.finally(() => this.#asking.delete(about));
  }

  async #answered(sending: ConsentRequest, about: string): Promise<ConsentDecision> {
    const known = (await this.#file.find(sending.folder, sending.host.host)) ?? this.#session.get(about);
    return known ?? this.#ask(sending, about);
  }

  async #ask(
    { folder, host: { host, models }, isMultiRoot: isOneOfSeveral, onWait }: ConsentRequest,
    about: string,
  ): Promise<ConsentDecision> {
    onWait();
    const which = isOneOfSeveral
      ? `the folder ${sanitizeLine(basename(folder)).replaceAll('](', '] (')}`
      : 'this folder';
    const sentence = `Evaluating sends text of traces to ${host} (${models.join(', ')}). Allow for ${which}?`;
    const title = await this.#choose(sentence, TITLES);
    const answer = title === null ? 'later' : ANSWERS[title];
    const isKept = answer !== 'later' && (await this.#keep(folder, host, answer));
    if (!isKept) this.#session.set(about, answer);
    return answer;
  }

  /** What cannot be written down holds for as long as this server runs. */
  async #keep(folder: string, host: string, answer: 'allow' | 'never'): Promise<boolean> {
    return this.#file.append({ folder, host, answer }).then(
      () => true,
      () => false,
    );
  }

  /** @throws what the file system threw */
  async reset(): Promise<void> {
    this.#session.clear();
    await this.#file.delete();
  }
}
