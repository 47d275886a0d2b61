import { get, getObject, getString, type JsonObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { extractUserText } from '../chat/messages/claude-harness.ts';

/**
 * The threads of a Claude Code log. A line refers to the previous one by `parentUuid`, so an edited prompt is a sibling
 * of its first version. The branch of the last line is the current one.
 */

/** A line of the log, or a line nested in another one. */
export interface LogLine {
  readonly pointer: Pointer;
  readonly value: JsonObject;
  readonly session: string | undefined;
  /** For lines of a sub-agent: its id and that of its call, if the log has them. */
  readonly subAgent?: { readonly agent: string | undefined; readonly call: string | undefined };
}

/** The lines of one sub-agent. */
export interface AgentThread {
  readonly agent: string | undefined;
  readonly call: string | undefined;
  readonly lines: readonly LogLine[];
}

export interface SessionThread {
  readonly id: string | undefined;
  /** Lines of the current branch; empty in the log of a sub-agent. */
  readonly lines: readonly LogLine[];
  /** The first line and the number of prompts of each abandoned branch. */
  readonly abandonedBranches: readonly { readonly line: LogLine; readonly prompts: number }[];
  readonly agents: readonly AgentThread[];
}

/** Whether a line is a user prompt. */
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

/** Whether a user line may come from the user, and not from the harness or another agent. */
export function isFromUser(line: unknown): boolean {
  if (get(line, 'isMeta') === true || get(line, 'isCompactSummary') === true) return false;
  return (getString(get(line, 'origin'), 'kind') ?? 'human') === 'human';
}

/** Groups the lines of a log into sessions and sub-agents. Lines copied by resuming a session count once. */
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

/** The sessions with users, by id. The ids of earlier sessions that a session continues map to it too. */
function sessionsIn(main: readonly LogLine[]): Map<string | undefined, Omit<SessionThread, 'agents'>> {
  const tree = new LineTree(main);
  /** A resumed session has the id of its last line. */
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

/** Lines with the indices of their parents. A log may be out of order or cyclic. */
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
   * The lines of a session's current branch. Only a prompt starts an abandoned branch: results of parallel calls and
   * notes of the harness are beside the path to the last line too.
   */
  branch(indices: readonly number[]): Pick<SessionThread, 'lines' | 'abandonedBranches'> {
    const path = this.#pathTo(indices.findLast((index) => getObject(this.#lines[index]?.value, 'message')));
    const heads = new Map<number, number>();
    const lines: LogLine[] = [];
    const abandoned = new Map<number, { line: LogLine; prompts: number }>();
    for (const index of indices) {
      const line = this.#lines[index];
      const head = this.#headOf(index, path, heads);
      if (!line) continue;
      if (head === NO_PARENT) {
        lines.push(line);
        continue;
      }
      const branch = abandoned.get(head) ?? { line: this.#lines[head] ?? line, prompts: 0 };
      if (isPrompt(line)) branch.prompts += 1;
      abandoned.set(head, branch);
    }
    return { lines, abandonedBranches: [...abandoned.values()] };
  }

  #pathTo(leaf: number | undefined): ReadonlySet<number> {
    const path = new Set<number>();
    for (let at = leaf ?? NO_PARENT; at !== NO_PARENT && !path.has(at); at = this.#parents[at] ?? NO_PARENT)
      path.add(at);
    return path;
  }

  /** The prompt that starts the abandoned branch of a line; `NO_PARENT` for a line of the current branch. */
  #headOf(index: number, path: ReadonlySet<number>, heads: Map<number, number>): number {
    const climbed: number[] = [];
    let at = index;
    while (at !== NO_PARENT && !path.has(at) && !heads.has(at)) {
      // Set before the result is known, to end cycles.
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
 * The parent of each line: the line that it names, else the previous line of its session. After a compaction,
 * `logicalParentUuid` has the previous line; only a prompt that names no line starts a new thread.
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
    const knownRoot = roots[at] ?? NO_PARENT;
    const root = knownRoot === NO_PARENT ? at : knownRoot;
    for (const below of climbed) roots[below] = root;
  }
  return roots;
}
