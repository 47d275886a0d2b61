import { get, getObject, getString, type JsonObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { extractUserText } from '../chat/messages/claude-harness.ts';

/**
 * The threads of a Claude Code log. A line names the one before it by `parentUuid`, so a prompt that the user went back
 * to and wrote again stands beside its first version. The last line shows which of them lived on.
 */

/** A line, or one that is told inside another, and where it stands. */
export interface LogLine {
  readonly pointer: Pointer;
  readonly value: JsonObject;
  readonly session: string | undefined;
  /** Of a sub-agent: its id, and that of the call that started it, where the log says so. */
  readonly subAgent?: { readonly agent: string | undefined; readonly call: string | undefined };
}

/** What one sub-agent did. */
export interface AgentThread {
  readonly agent: string | undefined;
  readonly call: string | undefined;
  readonly lines: readonly LogLine[];
}

export interface SessionThread {
  readonly id: string | undefined;
  /** Of the branch that lived on; none in the log of a sub-agent. */
  readonly lines: readonly LogLine[];
  /** The first line of each branch that the user left, and how many prompts it has. */
  readonly abandonedBranches: readonly { readonly line: LogLine; readonly prompts: number }[];
  readonly agents: readonly AgentThread[];
}

/** Whether a line is something that a user said. */
function isPrompt({ value }: LogLine): boolean {
  if (get(value, 'type') !== 'user' || !isFromUser(value)) return false;
  const content = get(getObject(value, 'message'), 'content');
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.some((block) => {
    if (get(block, 'type') === 'image') return true;
    const text = typeof block === 'string' ? block : getString(block, 'text');
    return text !== undefined && extractUserText({ text, pointer: '' }) !== null;
  });
}

/** Whether what stands in the user's name may be the user's: neither the harness nor another agent says it. */
export function isFromUser(line: unknown): boolean {
  if (get(line, 'isMeta') === true || get(line, 'isCompactSummary') === true) return false;
  return (getString(get(line, 'origin'), 'kind') ?? 'human') === 'human';
}

/** Sorts the lines of a log into sessions and sub-agents. What was copied, when a session was resumed, counts once. */
export function readThreads(lines: Iterable<LogLine>): SessionThread[] {
  const seen = new Set<string>();
  const main: LogLine[] = [];
  const loose: LogLine[] = [];
  const bySide = new Map<string, AgentThread & { readonly lines: LogLine[] }>();
  for (const line of lines) {
    const uuid = getString(line.value, 'uuid');
    if (uuid === undefined ? getObject(line.value, 'message') === undefined : seen.has(uuid)) continue;
    if (uuid !== undefined) seen.add(uuid);
    const { agent, call } = line.subAgent ?? {};
    const key = agent ?? call;
    if (!line.subAgent) main.push(line);
    else if (key === undefined) loose.push(line);
    else {
      const thread = bySide.get(key);
      if (thread) thread.lines.push(line);
      else bySide.set(key, { agent, call, lines: [line] });
    }
  }
  const roots = new Map<number, LogLine[]>();
  const tree = new LineTree(loose);
  for (const [index, line] of loose.entries()) getOrCreateList(roots, tree.rootOf(index)).push(line);
  const unnamed = Array.from(roots.values(), (ofThread) => ({ agent: undefined, call: undefined, lines: ofThread }));
  return withAgents(sessionsIn(main), [...bySide.values(), ...unnamed]);
}

/** The conversations with users; the ids of those that one of them continues lead to it too. */
function sessionsIn(main: readonly LogLine[]): Map<string | undefined, Omit<SessionThread, 'agents'>> {
  const tree = new LineTree(main);
  /** A session that was resumed has the id of its last line. */
  const idOfRoot = new Map<number, string | undefined>();
  for (const [index, { session }] of main.entries()) idOfRoot.set(tree.rootOf(index), session);
  const indices = new Map<string | undefined, number[]>();
  for (const index of main.keys()) getOrCreateList(indices, idOfRoot.get(tree.rootOf(index))).push(index);
  const sessions = new Map<string | undefined, Omit<SessionThread, 'agents'>>();
  for (const [id, ofSession] of indices) sessions.set(id, { id, ...tree.branch(ofSession) });
  for (const [index, { session }] of main.entries()) {
    const continued = sessions.get(idOfRoot.get(tree.rootOf(index)));
    if (continued && !sessions.has(session)) sessions.set(session, continued);
  }
  return sessions;
}

function withAgents(
  sessions: ReadonlyMap<string | undefined, Omit<SessionThread, 'agents'>>,
  threads: readonly AgentThread[],
): SessionThread[] {
  const agents = new Map<Omit<SessionThread, 'agents'>, AgentThread[]>();
  for (const session of sessions.values()) agents.set(session, []);
  const alone = new Map<string | undefined, SessionThread & { readonly agents: AgentThread[] }>();
  for (const thread of threads) {
    const id = thread.lines[0]?.session;
    const session = sessions.get(id);
    if (session) agents.get(session)?.push(thread);
    else if (alone.has(id)) alone.get(id)?.agents.push(thread);
    else alone.set(id, { id, lines: [], abandonedBranches: [], agents: [thread] });
  }
  return [...Array.from(agents, ([session, ofSession]) => ({ ...session, agents: ofSession })), ...alone.values()];
}

function getOrCreateList<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  let list = lists.get(key);
  if (!list) {
    list = [];
    lists.set(key, list);
  }
  return list;
}

const NO_PARENT = -1;

/** Lines and what each of them follows. Parents are indices; a log may be out of order, or lead round in a circle. */
class LineTree {
  readonly #lines: readonly LogLine[];
  readonly #parents: readonly number[];
  readonly #roots: number[] = [];

  constructor(lines: readonly LogLine[]) {
    this.#lines = lines;
    this.#parents = parentsOf(lines);
    this.#roots = rootsOf(this.#parents);
  }

  rootOf(index: number): number {
    return this.#roots[index] ?? index;
  }

  /**
   * Of the lines of one session those that lived on. Only a prompt begins a branch that was left: beside the path to the
   * last line there are results of parallel calls as well, and what the harness notes.
   */
  branch(indices: readonly number[]): Pick<SessionThread, 'lines' | 'abandonedBranches'> {
    const path = this.#pathTo(indices.findLast((index) => getObject(this.#lines[index]?.value, 'message')));
    const heads = new Map<number, number>();
    const lines: LogLine[] = [];
    const left = new Map<number, { line: LogLine; prompts: number }>();
    for (const index of indices) {
      const line = this.#lines[index];
      const head = this.#headOf(index, path, heads);
      if (!line) continue;
      if (head === NO_PARENT) {
        lines.push(line);
        continue;
      }
      const branch = left.get(head) ?? { line: this.#lines[head] ?? line, prompts: 0 };
      if (isPrompt(line)) branch.prompts += 1;
      left.set(head, branch);
    }
    return { lines, abandonedBranches: [...left.values()] };
  }

  #pathTo(leaf: number | undefined): ReadonlySet<number> {
    const path = new Set<number>();
    for (let at = leaf ?? NO_PARENT; at !== NO_PARENT && !path.has(at); at = this.#parents[at] ?? NO_PARENT)
      path.add(at);
    return path;
  }

  /** The prompt that begins the left branch of a line; `NONE` for a line that lived on. */
  #headOf(index: number, path: ReadonlySet<number>, heads: Map<number, number>): number {
    const climbed: number[] = [];
    let at = index;
    while (at !== NO_PARENT && !path.has(at) && !heads.has(at)) {
      // Until it is known: a circle ends here.
      heads.set(at, NO_PARENT);
      climbed.push(at);
      at = this.#parents[at] ?? NO_PARENT;
    }
    let head = heads.get(at) ?? NO_PARENT;
    for (const below of climbed.toReversed()) {
      const line = this.#lines[below];
      if (head === NO_PARENT && line && isPrompt(line)) head = below;
      heads.set(below, head);
    }
    return heads.get(index) ?? NO_PARENT;
  }
}

/**
 * What each line follows: the line that it names, or else the one before it of its session. After a compaction a log
 * goes on from nothing and says in `logicalParentUuid` what came before; only a prompt that names nothing begins anew.
 */
function parentsOf(lines: readonly LogLine[]): number[] {
  const byUuid = new Map<string, number>();
  for (const [index, { value }] of lines.entries()) {
    const uuid = getString(value, 'uuid');
    if (uuid !== undefined) byUuid.set(uuid, index);
  }
  const last = new Map<string | undefined, number>();
  return lines.map((line, index) => {
    const before = last.get(line.session) ?? NO_PARENT;
    last.set(line.session, index);
    const named = getString(line.value, 'parentUuid') ?? getString(line.value, 'logicalParentUuid');
    const parent = named === undefined ? undefined : byUuid.get(named);
    if (parent !== undefined) return parent;
    return get(line.value, 'parentUuid') === null && isPrompt(line) ? NO_PARENT : before;
  });
}

function rootsOf(parents: readonly number[]): number[] {
  const roots: number[] = Array.from(parents, () => NO_PARENT);
  const passed = new Set<number>();
  for (const start of parents.keys()) {
    const climbed: number[] = [];
    let at = start;
    while (roots[at] === NO_PARENT && !passed.has(at)) {
      passed.add(at);
      climbed.push(at);
      const parent = parents[at] ?? NO_PARENT;
      if (parent === NO_PARENT) break;
      at = parent;
    }
    const known = roots[at] ?? NO_PARENT;
    const root = known === NO_PARENT ? at : known;
    for (const below of climbed) roots[below] = root;
  }
  return roots;
}
