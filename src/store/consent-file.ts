import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../core/json.ts';
import { createPrivateFolder } from './private-folder.ts';

const consentLine = z.object({
  /** Null: every folder, and all answers for single folders before this line no longer count. */
  folder: z.nullable(z.string()),
  host: z.string(),
  /** `ask`: as if nothing had been answered. */
  answer: z.enum(['allow', 'never', 'ask']),
});
type ConsentLine = z.infer<typeof consentLine>;

/** An answer that counts. */
export interface ConsentAnswer extends Omit<ConsentLine, 'answer'> {
  readonly answer: 'allow' | 'never';
}

/**
 * Consent to send trace text, one JSON line per answer of an editor's user and of `turnwise trust`; the last line for a
 * folder and a host counts. Lines are only appended, so windows that answer at the same time do not overwrite each other.
 */
export class ConsentFile {
  readonly path: string;
  readonly #home: string;

  /** @param home see `dataFolder` */
  constructor(home: string) {
    this.#home = home;
    this.path = join(home, 'consent.jsonl');
  }

  /** Null where the file cannot be read or has no answer: the user is asked. */
  async find(folder: string, host: string): Promise<ConsentAnswer['answer'] | null> {
    const applies = (line: ConsentLine) => line.host === host && (line.folder === null || line.folder === folder);
    const answer = (await this.#lines()).findLast(applies)?.answer ?? 'ask';
    return answer === 'ask' ? null : answer;
  }

  /** The answers that count, for all folders first, by host. */
  async list(): Promise<readonly ConsentAnswer[]> {
    const answers = new Map<string, ConsentAnswer>();
    for (const { folder, host, answer } of await this.#lines()) {
      for (const [key, other] of answers) {
        if (other.host === host && (folder === null || other.folder === folder)) answers.delete(key);
      }
      if (answer !== 'ask') answers.set(JSON.stringify([folder, host]), { folder, host, answer });
    }
    const sortKey = ({ folder, host }: ConsentAnswer) => `${folder === null ? 0 : 1} ${host} ${folder}`;
    return [...answers.values()].toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  /** @throws the error of the file system */
  append(answer: ConsentAnswer): Promise<void> {
    return this.#append(answer);
  }

  /** Removes all answers about a host. @throws the error of the file system */
  revoke(host: string): Promise<void> {
    return this.#append({ folder: null, host, answer: 'ask' });
  }

  async #append(line: ConsentLine): Promise<void> {
    createPrivateFolder(this.#home);
    // The last line may be cut off: begin a new one in any case.
    await appendFile(this.path, `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
  }

  async #lines(): Promise<readonly ConsentLine[]> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => consentLine.safeParse(parseJson(line)).data ?? []);
  }

  /** @throws the error of the file system */
  async delete(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
