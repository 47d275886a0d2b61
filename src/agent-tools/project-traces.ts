import { isAbsolute, relative, resolve, sep } from 'node:path';
import { loadTrace } from '../app/read-trace.ts';
import { errorMessage } from '../core/error-message.ts';
import type { Pointer, Session } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { FileSystem } from '../input/file-system.ts';
import { describeSystemError } from '../input/system-error.ts';
import { placeText, quoted } from '../reports/agent-text.ts';
import type { SessionOfRun } from './project-runs.ts';
import { ToolError } from './tool-error.ts';

/** A session as its file has it now. */
export type TraceOfSession =
  | {
      readonly session: Session;
      /** The lines of values, one-based, all of a file in one pass; without those that have none. */
      locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, { readonly line: number }>;
      /** The path of one of its files, relative to the project. */
      shownFile(file: string): string;
    }
  | {
      readonly session: null;
      /** Why there is none, as a clause. */
      readonly missing: string;
    };

/** Reads traces inside of one project, and nothing else. */
export class ProjectTraces {
  readonly #project: string;
  readonly #files: FileSystem;
  readonly #isTrusted: boolean;

  /** @param isTrusted whether code of the project's configuration may run */
  constructor(project: string, files: FileSystem, isTrusted: boolean) {
    this.#project = project;
    this.#files = files;
    this.#isTrusted = isTrusted;
  }

  /**
   * The absolute path of a file or folder in the project.
   *
   * @throws ToolError for one that is elsewhere, also by a link, and for what is not there
   */
  async resolve(path: string): Promise<string> {
    const absolute = resolve(this.#project, path);
    if (isOutside(relative(this.#project, absolute)) || (await this.#files.leadsOutside(absolute, this.#project))) {
      throw new ToolError(
        `${placeText(path, null)} is outside of this project. Only files inside of it are read; in a terminal, turnwise eval reads any file.`,
      );
    }
    const found = await this.#files.stat(absolute).catch((error: unknown) => {
      throw new ToolError(`${placeText(path, null)} cannot be read: ${describeSystemError(error)}.`);
    });
    if (!found) throw new ToolError(`There is no file ${placeText(path, null)} in this project.`);
    if (found.kind === 'other') throw new ToolError(`${placeText(path, null)} is a pipe or a device, and no trace.`);
    return absolute;
  }

  /** Never rejects but for an abort: a session that cannot be read has a reason. */
  async read({ file, report, content, transcript }: SessionOfRun, signal: AbortSignal): Promise<TraceOfSession> {
    if (file === '-') return { session: null, missing: 'it was read from standard input' };
    try {
      const path = await this.resolve(file);
      const { sessions, locator } = await loadTrace(path, this.#isTrusted, this.#files, signal);
      const session = sessions.find((one) =>
        content ? sessionHashes(one).content === content : one.source.pointer === report.source.pointer,
      );
      if (session)
        return { session, locate: (of, pointers) => locator.locate(of, pointers), shownFile: this.shownFile };
      return (
        (await keptTranscript(transcript)) ?? {
          session: null,
          missing: 'its file has changed since; evaluate it again',
        }
      );
    } catch (error) {
      signal.throwIfAborted();
      const missing = error instanceof ToolError ? error.message : quoted(errorMessage(error));
      return (await keptTranscript(transcript)) ?? { session: null, missing };
    }
  }

  /** Relative to the project where it is inside. */
  readonly shownFile = (file: string): string => {
    const way = relative(this.#project, resolve(this.#project, file));
    return isOutside(way) ? file : way.replaceAll(sep, '/');
  };
}

function isOutside(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** As the record has it: without lines. */
async function keptTranscript(read: SessionOfRun['transcript']): Promise<TraceOfSession | null> {
  const session = await read();
  return session && { session, locate: () => new Map(), shownFile: (file) => file };
}
