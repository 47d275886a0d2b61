import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../core/json.ts';
import { createPrivateFolder } from '../../store/private-folder.ts';

const answer = z.object({ folder: z.string(), host: z.string(), answer: z.enum(['allow', 'never']) });
export type ConsentAnswer = z.infer<typeof answer>;

/**
 * Answers to whether text of traces may be sent somewhere, a line each, the last one of a folder and host counts. Lines are
 * only ever added, so that windows that answer at the same time do not undo each other's.
 */
export class ConsentFile {
  readonly path: string;
  readonly #home: string;

  /** @param home see `dataFolder` */
  constructor(home: string) {
    this.#home = home;
    this.path = join(home, 'consent.jsonl');
  }

  /** What cannot be read was not allowed: null, and the user is asked. */
  async find(folder: string, host: string): Promise<ConsentAnswer['answer'] | null> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    const kept = text.split('\n').flatMap((line) => {
      const { success, data } = answer.safeParse(parseJson(line));
      return success && data.folder === folder && data.host === host ? [data] : [];
    });
    return kept.at(-1)?.answer ?? null;
  }

  /** @throws what the file system threw */
  async append(kept: ConsentAnswer): Promise<void> {
    createPrivateFolder(this.#home);
    // What stands before may have been cut off: a line of its own in any case.
    await appendFile(this.path, `\n${JSON.stringify(kept)}\n`, { mode: 0o600, flush: true });
  }

  /** @throws what the file system threw */
  async delete(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
