import type { Profiler } from 'node:inspector';

/** Of what a profile saw, the part with code of one file on the stack; in milliseconds. */
export interface ProfileTime {
  readonly total: number;
  /** The longest that it was there without a break. */
  readonly longest: number;
}

/** @param isOwn whether a script, by its address, is what is asked about. */
export function profileTime(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  isOwn: (url: string) => boolean,
) {
  const own = ownNodes(nodes, isOwn);
  const collecting = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === COLLECTOR).map(({ id }) => id));
  let total = 0;
  let longest = 0;
  let stretch = 0;
  // A sample stands for the time until the next one.
  for (const [index, id] of samples.entries()) {
    const milliseconds = (timeDeltas[index + 1] ?? 0) / 1000;
    // What is collected while it runs is collected for it.
    const isHere = own.has(id) || (stretch > 0 && collecting.has(id));
    stretch = isHere ? stretch + milliseconds : 0;
    total += isHere ? milliseconds : 0;
    longest = Math.max(longest, stretch);
  }
  return { total, longest } satisfies ProfileTime;
}

const COLLECTOR = '(garbage collector)';

/** Those of a file, and all that they call. */
function ownNodes(nodes: readonly Profiler.ProfileNode[], isOwn: (url: string) => boolean): ReadonlySet<number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Set<number>();
  const add = (id: number): void => {
    if (own.has(id)) return;
    own.add(id);
    for (const child of byId.get(id)?.children ?? []) add(child);
  };
  for (const { id, callFrame } of nodes) if (isOwn(callFrame.url)) add(id);
  return own;
}
