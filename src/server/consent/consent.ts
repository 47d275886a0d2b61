import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ModelHost } from '../../app/model-hosts.ts';
import { EDITOR_PROVIDER } from '../../core/editor-models.ts';
import { sanitizeLine } from '../../core/sanitize.ts';
import type { ConsentFile } from '../../store/consent-file.ts';
import type { Editor } from '../editor.ts';

/** `later`: not while this server runs. */
export type ConsentDecision = 'allow' | 'never' | 'later';

/** A request for consent to send a folder's traces to a host. */
export interface ConsentRequest {
  readonly folder: string;
  readonly host: ModelHost;
  /** Whether other folders are open, so that the question must name this one. */
  readonly isMultiRoot: boolean;
  /** Called with what the evaluation waits for, when the user is asked. */
  readonly onWait: (what: string) => void;
}

/** Identifies the question about a folder and a host. */
export function consentQuestion({ folder, host }: Pick<ConsentRequest, 'folder' | 'host'>): string {
  return JSON.stringify([folder, host.host]);
}

function waitingFor({ host }: ConsentRequest): string {
  return l10n.t('Waiting for consent to send traces to {0}', recipient(host));
}

/** The host, or the vendor of the editor's models. */
function recipient({ host, isEditor }: ModelHost): string {
  return isEditor ? host.slice(`${EDITOR_PROVIDER}:`.length) : host;
}

/** Whether a folder's trace text may be sent to a host. Only the user decides it, once; no file of the folder can. */
export class Consent {
  readonly #file: ConsentFile;
  readonly #choose: Editor['choose'];
  /** Answers that are not stored on disk. */
  readonly #session = new Map<string, ConsentDecision>();
  readonly #asking = new Map<string, Promise<ConsentDecision>>();

  constructor(file: ConsentFile, choose: Editor['choose']) {
    this.#file = file;
    this.#choose = choose;
  }

  /** The file that stores the answers. */
  get path(): string {
    return this.#file.path;
  }

  /** Resolves at once if it was answered before, in any window. */
  async request(sending: ConsentRequest): Promise<ConsentDecision> {
    const about = consentQuestion(sending);
    const pending = this.#asking.get(about);
    // A question stays on screen when its evaluation is cancelled: do not ask it twice.
    if (pending) sending.onWait(waitingFor(sending));
    const asking = pending ?? this.#answered(sending, about);
    this.#asking.set(about, asking);
    return asking.finally(() => this.#asking.delete(about));
  }

  async #answered(sending: ConsentRequest, about: string): Promise<ConsentDecision> {
    const known = (await this.#file.find(sending.folder, sending.host.host)) ?? this.#session.get(about);
    return known ?? this.#ask(sending, about);
  }

  async #ask(sending: ConsentRequest, about: string): Promise<ConsentDecision> {
    const { folder, isMultiRoot: isOneOfSeveral } = sending;
    const { host, models, isEditor } = sending.host;
    const receiver = recipient(sending.host);
    sending.onWait(waitingFor(sending));
    const which = isOneOfSeveral
      ? l10n.t('the folder {0}', sanitizeLine(basename(folder)).replaceAll('](', '] ('))
      : l10n.t('this folder');
    const named = models.join(', ');
    const sentence = isEditor
      ? l10n.t(
          "Evaluating sends trace text to {0}, the provider of the editor's model {1}. Allow it for {2}?",
          receiver,
          named,
          which,
        )
      : l10n.t('Evaluating sends trace text to {0} ({1}). Allow it for {2}?', receiver, named, which);
    const buttons = { allow: l10n.t('Allow'), later: l10n.t('Not Now'), never: l10n.t('Never') };
    const title = l10n.t('Waiting: send trace text to {0}?', receiver);
    const answer = (await this.#choose({ id: about, title, text: sentence, buttons })) ?? 'later';
    const isPinned = answer !== 'later' && (await this.#keep(folder, host, answer));
    if (!isPinned) this.#session.set(about, answer);
    return answer;
  }

  /** An answer that cannot be stored holds while this server runs. */
  async #keep(folder: string, host: string, answer: 'allow' | 'never'): Promise<boolean> {
    return this.#file.append({ folder, host, answer }).then(
      () => true,
      () => false,
    );
  }

  /** @throws the error of the file system */
  async reset(): Promise<void> {
    this.#session.clear();
    await this.#file.delete();
  }
}
