import { join } from 'node:path';
import { nodeFileSystem } from '../../input/node-file-system.ts';
import { appendLines, writeFile } from '../../output/write-file.ts';

/** In the folder of the sessions, so that a window that takes over knows it too. A name a line. */
const FILE = 'notified.txt';

/** Files of sessions whose first severe problem was a notification. */
export class NotifiedSessions {
  readonly #path: string;
  readonly #files: Set<string>;

  private constructor(path: string, files: Set<string>) {
    this.#path = path;
    this.#files = files;
  }

  /** Forgets those that are deleted. @throws the system's error */
  static async open(folder: string): Promise<NotifiedSessions> {
    const path = join(folder, FILE);
    const there = new Set((await nodeFileSystem.list(folder)).map(({ name }) => name));
    const text = there.has(FILE) ? new TextDecoder().decode(await nodeFileSystem.read(path)) : '';
    const listed = text.split('\n').filter((name) => name !== '');
    const files = new Set(listed.filter((name) => there.has(name)));
    if (files.size < listed.length) await writeFile(path, Array.from(files, (name) => `${name}\n`).join(''));
    return new NotifiedSessions(path, files);
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  /** @throws the system's error; then it is known to this process alone */
  async add(file: string): Promise<void> {
    this.#files.add(file);
    await appendLines(this.#path, `${file}\n`);
  }
}
