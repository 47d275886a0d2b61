/** A command line that cannot be followed. The message is a sentence; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
