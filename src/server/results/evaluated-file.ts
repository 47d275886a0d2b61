import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSidecar } from '../../core/trace-file-names.ts';
import { baseName } from '../../input/paths.ts';
import { sidecarNames } from '../../input/sidecar.ts';
import type { FileState, StaleCause } from '../../protocol/messages.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';
import { EMPTY_SIDECAR_HASH } from '../disk/content-hash.ts';
import type { FileStamp } from '../disk/file-stamp.ts';
import { isInside } from '../disk/paths.ts';
import { RangeMapper } from './range-mapper.ts';

/** Under what else files were evaluated: hashes by path. */
export interface EvaluationInputs {
  /** Sidecars and criteria, which stand beside what they are about. */
  readonly beside: ReadonlyMap<string, string>;
  /** Configurations, which are about all below them. */
  readonly above: ReadonlyMap<string, string>;
}

const NO_INPUTS: EvaluationInputs = { beside: new Map(), above: new Map() };

/** A text of a file in which something was found, and what is known of it beside that. */
export class EvaluatedFile {
  readonly path: string;
  readonly uri: string;
  /** From places as they were found to places in the text as it is edited now. */
  readonly rangeMapper = new RangeMapper();
  /** Null where it is not known. */
  readonly stamp: FileStamp | null;
  readonly #inputs: EvaluationInputs;
  /** Their hashes as they were last seen. */
  readonly #inputsNow = new Map<string, string | null>();
  #isElsewise = false;
  #isGone = false;
  #isEdited = false;

  /** @param inputs may be filled until the evaluation is over. */
  constructor(path: string, stamp: FileStamp | null, inputs: EvaluationInputs = NO_INPUTS) {
    this.path = path;
    this.uri = pathToFileURL(path).href;
    this.stamp = stamp;
    this.#inputs = inputs;
  }

  get state(): FileState {
    if (this.#isGone) return 'gone';
    return this.isChanged || this.#isEdited ? 'stale' : 'fresh';
  }

  /** Whether another text is on disk, or other inputs: it would be evaluated otherwise now. */
  get isChanged(): boolean {
    return this.#isElsewise || [...this.#inputsNow].some(([path, hash]) => this.#isOtherInput(path, hash));
  }

  /** Why it is stale; undefined where it is not, or where nobody knows. What was done to the file itself comes first. */
  get changed(): StaleCause {
    if (this.state !== 'stale') return undefined;
    if (this.#isEdited || (this.#isElsewise && this.stamp)) return 'file';
    const inputs = [...this.#inputsNow].flatMap(([path, hash]) => (this.#isOtherInput(path, hash) ? [path] : []));
    if (inputs.length === 0) return undefined;
    return inputs.every((path) => isSidecar(path)) ? 'sidecar' : 'configuration';
  }

  /** All that is seen of it. */
  get #look(): string {
    return `${this.state} ${this.changed}`;
  }

  /** An editor shows a text that is not on disk. @param edits none where nobody saw them. */
  addEdits(edits: Iterable<TextDelta>): void {
    this.#isEdited = true;
    this.rangeMapper.add(edits);
  }

  /**
   * @param hash of the bytes that are there now; null: nothing is.
   * @param isDirty whether an editor shows a text that is not on disk.
   * @returns whether it is seen otherwise now.
   */
  updateHash(hash: string | null, isDirty: boolean): boolean {
    const before = this.#look;
    this.#isGone = hash === null;
    this.#isElsewise = hash !== null && hash !== this.stamp?.hash;
    this.#isEdited = isDirty;
    if (hash !== null && !this.#isElsewise && !isDirty) this.rangeMapper.reset();
    return this.#look !== before;
  }

  /** As `seen`, of a file that is its configuration, its sidecar, or neither. */
  updateInputHash(path: string, hash: string | null): boolean {
    if (!this.dependsOn(path)) return false;
    const before = this.#look;
    // Whether it is another is not known before it was read for the evaluation.
    this.#inputsNow.set(path, hash);
    return this.#look !== before;
  }

  #isOtherInput(path: string, hash: string | null): boolean {
    const then = this.#inputThen(path);
    return then !== undefined && comparableHash(hash) !== comparableHash(then);
  }

  /** Whether a file is, or could be, its configuration or its sidecar. */
  dependsOn(path: string): boolean {
    return this.#inputThen(path) !== undefined;
  }

  /** The same text under another name, with its sidecars under theirs. */
  withPath(path: string): EvaluatedFile {
    const { beside, above } = this.inputs;
    const [from, to] = [companionInputPaths(this.path), companionInputPaths(path)];
    // Where their number is another, they are not the same ones.
    const moved = from.flatMap((name, index): [string, string][] => {
      const [hash, now] = [beside.get(name), from.length === to.length ? to[index] : undefined];
      return hash === undefined || now === undefined ? [] : [[now, hash]];
    });
    return new EvaluatedFile(path, this.stamp, { beside: new Map(moved), above });
  }

  /** Those of its inputs that were there when it was evaluated. */
  get inputs(): EvaluationInputs {
    const { beside, above } = this.#inputs;
    const own = companionInputPaths(this.path).flatMap((path): [string, string][] => {
      const hash = beside.get(path);
      return hash === undefined ? [] : [[path, hash]];
    });
    return { beside: new Map(own), above };
  }

  /** Undefined: it is no input of this file; null: it was not there. */
  #inputThen(path: string): string | null | undefined {
    if (companionInputPaths(this.path).includes(path)) return this.#inputs.beside.get(path) ?? null;
    const known = this.#inputs.above.get(path);
    if (known !== undefined) return known;
    const folder = dirname(path);
    if (!isConfigurationFile(path) || !isInside(this.path, folder)) return undefined;
    // Only one that is as near as the one that applied would apply.
    const isNearer = [...this.#inputs.above.keys()].some((other) => isInside(dirname(other), folder));
    return isNearer ? undefined : null;
  }
}

/** Null for what is not there, and for what might as well not be. */
function comparableHash(hash: string | null): string | null {
  return hash === EMPTY_SIDECAR_HASH ? null : hash;
}

/** Whether a file may stand beside what it is about. */
export function isCompanionInput(path: string): boolean {
  return isSidecar(path) || baseName(path) === CRITERIA_FILE;
}

/** Where sidecars and criteria of a file would be. */
export function companionInputPaths(path: string): readonly string[] {
  return [...sidecarNames(path), join(dirname(path), CRITERIA_FILE)];
}

/** ADK's criteria of the evaluation sets beside it. */
export const CRITERIA_FILE = 'test_config.json';

export function isConfigurationFile(path: string): boolean {
  return /^turnwise\.config\.\w+$/i.test(baseName(path));
}
