import { basename } from 'node:path';

interface SourceLocation {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** A file that cannot be parsed. The stack begins with its location, as if it had been thrown there. */
export class SourceError extends SyntaxError {
  readonly #location: SourceLocation;

  constructor(message: string, location: SourceLocation) {
    super(message);
    this.name = 'SyntaxError';
    this.#location = location;
    this.stack = stackAt(message, location);
  }

  /** For a reader who knows another file, names this one. */
  seenFrom(file: string): SourceError {
    const { file: own, line } = this.#location;
    return own === file ? this : new SourceError(`${basename(own)}:${line}: ${this.message}`, this.#location);
  }
}

/** Code that Node cannot run, but a compiler of TypeScript could. */
export class UnsupportedSyntaxError extends SyntaxError {
  constructor(what: string, file: string, location: SourceLocation | null) {
    const where = basename(file) + (location ? `:${location.line}` : '');
    super(`${where} has ${what}. Write it without, or run \`npx turnwise\` in a terminal.`);
    this.name = 'SyntaxError';
    if (location) this.stack = stackAt(this.message, location);
  }
}

function stackAt(message: string, { file, line, column }: SourceLocation): string {
  return `SyntaxError: ${message}\n    at ${file}:${line}:${column}`;
}
