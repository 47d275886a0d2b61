import type { Pointer } from './session.ts';

/** Something about the input that a person should know, as one sentence with its place and a remedy. */
export interface Problem {
  /** Empty where it is about several files, and about no place in them. */
  readonly file: string;
  readonly pointer: Pointer | null;
  /** One-based; null until it is known, or when the place has no line. */
  readonly line: number | null;
  /** An `error` makes the exit code 2; a `warning` leaves it alone. */
  readonly severity: 'error' | 'warning';
  /** Kebab-case, stable. */
  readonly code: string;
  readonly message: string;
}

export function createProblem(
  severity: Problem['severity'],
  code: string,
  file: string,
  message: string,
  place: { pointer?: Pointer; line?: number } = {},
): Problem {
  return { file, pointer: place.pointer ?? null, line: place.line ?? null, severity, code, message };
}
