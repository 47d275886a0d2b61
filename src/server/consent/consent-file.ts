import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../core/json.ts';
import { createPrivateFolder } from '../../store/private-folder.ts';

const answer = z.object({ folder: z.string(), host: z.string(), answer: z.enum(['allow', 'never']) });
export type ConsentAnswer = z.infer<typeof answer>;

/**
 * Consent to send trace text, one JSON line per answer; the last line for a folder and a host counts. Lines are only
 * appended, so windows that answer at the same time do not overwrite each other.
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
    const text = await readFile(this.path, 'utf8').catch(() => '');
    const kept = text.split('\n').flatMap((line) => {
      const { success, data } = answer.safeParse(parseJson(line));
      return success && data.folder === folder && data.host === host ? [data] : [];
    });
    return kept.at(-1)?.answer ?? null;
  }

  /** @throws the error of the file system */
  async append(kept: ConsentAnswer): Promise<void> {
    createPrivateFolder(this.#home);
    // The last line may be cut off: begin a new one in any case.
    await appendFile(this.path, `\n${JSON.stringify(kept)}\n`, { mode: 0o600, flush: true });
  }

  /** @throws the error of the file system */
  async delete(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
