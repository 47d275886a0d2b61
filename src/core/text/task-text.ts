/** `task refund`, or `task refund, attempt 2`. */
export function taskText({ id, trial }: { readonly id: string; readonly trial: string | null }): string {
  return `task ${id}${trial === null ? '' : `, attempt ${trial}`}`;
}
