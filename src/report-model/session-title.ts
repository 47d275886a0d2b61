import { redactSecrets } from '../core/secrets.ts';
import { oneLine, truncate } from '../core/text/truncate.ts';

/** Characters of a user's message in a title. */
const MAX_LENGTH = 80;

/** What a session is called in lists: its task, else the first words of the user, else its id. */
export function sessionTitle(
  { id, task }: { readonly id: string; readonly task: { readonly id: string; readonly trial: string | null } | null },
  turns: readonly { readonly input: string | null }[],
): string {
  if (task) {
    const name = /^\d+$/.test(task.id) ? `Task ${task.id}` : task.id;
    return task.trial === null ? name : `${name}, attempt ${task.trial}`;
  }
  const request = turns.find(({ input }) => input !== null && input.trim() !== '')?.input ?? id;
  // Only the start is read: a message may be as long as the file.
  return truncate(oneLine(redactSecrets(request.slice(0, 10 * MAX_LENGTH))).trim(), MAX_LENGTH);
}
