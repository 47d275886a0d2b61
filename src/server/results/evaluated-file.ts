import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAgentestConfiguration, isSidecar, RISK_FILE } from '../../core/trace-file-names.ts';
import { baseName } from '../../input/paths.ts';
import { sidecarNames } from '../../input/sidecar.ts';
import type { FileState, StaleCause } from '../../protocol/messages.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';
import { EMPTY_SIDECAR_HASH } from '../disk/content-hash.ts';
import type { FileStamp } from '../disk/file-stamp.ts';
import { isInside } from '../disk/paths.ts';
import { RangeMapper } from './range-mapper.ts';

/** What else affected the evaluation of files: hashes by path. */
export interface EvaluationInputs {
  /** Sidecars and criteria, which stand beside the file that they are about. */
  readonly beside: ReadonlyMap<string, string>;
  /** Configurations, which apply to everything below them. */
  readonly above: ReadonlyMap<string, string>;
}

const NO_INPUTS: EvaluationInputs = { beside: new Map(), above: new Map() };

/** One version of a file that was evaluated, and how it differs from the file now. */
export class EvaluatedFile {
  readonly path: string;
  readonly uri: string;
  /** Maps ranges of the evaluated text to the text as it is edited now. */
  readonly rangeMapper = new RangeMapper();
  /** Null where it is unknown. */
  readonly stamp: FileStamp | null;
  readonly #inputs: EvaluationInputs;
  /** Their hashes when they were last checked. */
  readonly #inputsNow = new Map<string, string | null>();
  #hasDifferentContent = false;
  #isGone = false;
  #isEdited = false;

  /** @param inputs may be filled until the evaluation ends. */
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

  /** Whether the file or its inputs on disk have changed: an evaluation would differ now. */
  get isChanged(): boolean {
    return this.#hasDifferentContent || [...this.#inputsNow].some(([path, hash]) => this.#isOtherInput(path, hash));
  }

  /**
   * Why it is stale; undefined where it is not, or where the cause is unknown. A change of the file itself comes
   * first.
   */
  get outdatedBecause(): StaleCause {
    if (this.state !== 'stale') return undefined;
    if (this.#isEdited || (this.#hasDifferentContent && this.stamp)) return 'file';
    const inputs = [...this.#inputsNow].flatMap(([path, hash]) => (this.#isOtherInput(path, hash) ? [path] : []));
    if (inputs.length === 0) return undefined;
    return inputs.every((path) => isSidecar(path)) ? 'sidecar' : 'configuration';
  }

  /** Everything that views show of it. */
  get #displayState(): string {
    return `${this.state} ${this.outdatedBecause}`;
  }

  /** The document has unsaved changes. @param edits empty where they are unknown. */
  addEdits(edits: Iterable<TextDelta>): void {
    this.#isEdited = true;
    this.rangeMapper.add(edits);
  }

  /**
   * @param hash of the current bytes; null: the file is gone.
   *
   * @param isDirty whether the document has unsaved changes.
   * @returns whether its state has changed.
   */
  updateHash(hash: string | null, isDirty: boolean): boolean {
    const before = this.#displayState;
    this.#isGone = hash === null;
    this.#hasDifferentContent = hash !== null && hash !== this.stamp?.hash;
    this.#isEdited = isDirty;
    if (hash !== null && !this.#hasDifferentContent && !isDirty) this.rangeMapper.reset();
    return this.#displayState !== before;
  }

  /** Like `updateHash`, for a file that may be its configuration or its sidecar. */
  updateInputHash(path: string, hash: string | null): boolean {
    if (!this.dependsOn(path)) return false;
    const before = this.#displayState;
    // Whether it differs is known only when the evaluation has read it.
    this.#inputsNow.set(path, hash);
    return this.#displayState !== before;
  }

  #isOtherInput(path: string, hash: string | null): boolean {
    const then = this.#inputThen(path);
    return then !== undefined && comparableHash(hash) !== comparableHash(then);
  }

  /** Whether a file is, or could be, its configuration or its sidecar. */
  dependsOn(path: string): boolean {
    return this.#inputThen(path) !== undefined;
  }

  /** The same version under another path, with its sidecars renamed alike. */
  withPath(path: string): EvaluatedFile {
    const { beside, above } = this.inputs;
    const [from, to] = [companionInputPaths(this.path), companionInputPaths(path)];
    // With another number of names, the sidecars are not the same.
    const moved = from.flatMap((name, index): [string, string][] => {
      const [hash, now] = [beside.get(name), from.length === to.length ? to[index] : undefined];
      return hash === undefined || now === undefined ? [] : [[now, hash]];
    });
    return new EvaluatedFile(path, this.stamp, { beside: new Map(moved), above });
  }

  /** Its inputs that existed when it was evaluated. */
  get inputs(): EvaluationInputs {
    const { beside, above } = this.#inputs;
    const own = companionInputPaths(this.path).flatMap((path): [string, string][] => {
      const hash = beside.get(path);
      return hash === undefined ? [] : [[path, hash]];
    });
    return { beside: new Map(own), above };
  }

  /** Undefined: not an input of this file; null: did not exist. */
  #inputThen(path: string): string | null | undefined {
    if (companionInputPaths(this.path).includes(path)) return this.#inputs.beside.get(path) ?? null;
    const known = this.#inputs.above.get(path);
    if (known !== undefined) return known;
    const folder = dirname(path);
    if (!isConfigurationFile(path) || !isInside(this.path, folder)) return undefined;
    // Only a configuration at least as near as the one of its kind that applied would apply.
    const isNearer = [...this.#inputs.above.keys()].some(
      (other) => configurationKind(other) === configurationKind(path) && isInside(dirname(other), folder),
    );
    return isNearer ? undefined : null;
  }
}

/** Null for a file that does not exist or has no effect. */
function comparableHash(hash: string | null): string | null {
  return hash === EMPTY_SIDECAR_HASH ? null : hash;
}

/** Whether a file, by its name, belongs to a trace beside it. */
export function isCompanionInput(path: string): boolean {
  return isSidecar(path) || baseName(path) === CRITERIA_FILE;
}

/** The paths at which a file's sidecars and criteria would be. */
export function companionInputPaths(path: string): readonly string[] {
  return [...sidecarNames(path), join(dirname(path), CRITERIA_FILE)];
}

/** ADK's criteria for the evaluation sets beside it. */
export const CRITERIA_FILE = 'test_config.json';

export function isConfigurationFile(path: string): boolean {
  return /^(?:(?:turnwise|agentest)\.config\.\w+|turnwise\.risk\.json)$/i.test(baseName(path));
}

/** Of each kind, only the nearest one applies. */
function configurationKind(path: string): 'agentest' | 'risk' | 'turnwise' {
  if (baseName(path).toLowerCase() === RISK_FILE) return 'risk';
  return isAgentestConfiguration(path) ? 'agentest' : 'turnwise';
}
