/** An invalid command line. The message is shown to the user; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
