/** The last part of a run's id, which its user sees and types; the part before it is the time. */
export function shortRunId(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1);
}
