import type { Document } from '../../core/document.ts';
import { get, getArray, getObject, getString, isObject } from '../../core/json.ts';
import type { Session, SessionEnding, Tool } from '../../core/session.ts';
import { buildConversation } from '../chat/messages/conversation.ts';
import { endingOfStatus } from '../ending.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { definedEntries } from '../values.ts';
import { messagesOf } from './claude-code-messages.ts';
import { SubAgentMatcher } from './claude-code-sub-agents.ts';
import { type AgentThread, type LogLine, readThreads, type SessionThread } from './claude-code-threads.ts';

/** A session log of Claude Code, or the output of its Agent SDK or of `--output-format stream-json`. */
export const claudeCode: SyncFormat = {
  name: 'claude-code',
  coding: true,
  title: 'Claude Code session',
  description: 'A session of Claude Code (~/.claude/projects/**/*.jsonl), its stream-json output, or a web export',

  detect({ value, lines }) {
    if (isWebExport(value)) return 'a Claude Code export with `loglines`';
    const first = sample(value);
    if (!first.some(isMessageLine) || !mostly(first, isLine)) return null;
    return lines
      ? 'a Claude Code `type` and `sessionId` on every line'
      : 'a list of Claude Code lines with `type` and `sessionId`';
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = withUniqueIds(sessionsOf(document, problems), problems);
    if (sessions.length === 0) {
      problems.error(
        'no-session',
        '',
        'No line of a Claude Code session was found in this file: none has a `message`.',
      );
    }
    return { sessions, problems: problems.list() };
  },
};

function isLine(value: unknown): boolean {
  return (
    typeof get(value, 'type') === 'string' &&
    (hasSession(value) || getString(value, 'leafUuid') !== undefined || getObject(value, 'snapshot') !== undefined)
  );
}

function hasSession(value: unknown): boolean {
  return typeof (get(value, 'sessionId') ?? get(value, 'session_id')) === 'string';
}

function isMessageLine(value: unknown): boolean {
  return hasSession(value) && hasMessage(value);
}

function hasMessage(value: unknown): boolean {
  const type = get(value, 'type');
  const content = get(getObject(value, 'message'), 'content');
  return (type === 'user' || type === 'assistant') && (typeof content === 'string' || Array.isArray(content));
}

function isWebExport(value: unknown): boolean {
  const lines = getArray(value, 'loglines');
  return (
    lines !== undefined &&
    mostly(
      sample(lines).filter((line) => /^(?:user|assistant)$/.test(getString(line, 'type') ?? '')),
      hasMessage,
    )
  );
}

function* sessionsOf(document: Document, problems: Problems): Generator<Session> {
  const lines = [...linesOf(document)];
  if (!lines.some(({ value }) => getObject(value, 'message'))) return;
  const threads = readThreads(lines);
  const titles = new SessionTitles(lines);
  const endings = endingsBySession(lines);
  for (const thread of threads) {
    const agents = new SubAgentMatcher(thread.agents, linesOfAll(thread));
    const first = thread.lines.find(({ value }) => getObject(value, 'message'));
    const id = thread.id ?? stemOf(document.file);
    const source = { file: document.file, format: claudeCode.name, pointer: '' };
    if (first) {
      warnOfAbandonedBranches(thread, problems);
      const { turns } = buildConversation(messagesOf(thread.lines, agents, problems), problems);
      yield {
        id,
        source: threads.length === 1 ? source : { ...source, pointer: first.pointer },
        metadata: definedEntries({ title: titles.of(thread), ...detailsOf(first) }),
        agentVersion: versionOf(first),
        tools: catalogueOf(thread.lines),
        ending: endings.get(thread.id),
        turns,
      };
    }
    for (let agent = agents.next(); agent; agent = agents.next()) {
      yield sessionOfAgent(agent, { id, source, isLost: first !== undefined }, agents, problems);
    }
  }
}

/** A session for the log of a sub-agent without its parent. */
function sessionOfAgent(
  { agent, call, lines }: AgentThread,
  of: { readonly id: string; readonly source: Session['source']; readonly isLost: boolean },
  agents: SubAgentMatcher,
  problems: Problems,
): Session {
  const [first] = lines;
  const id = `agent-${agent ?? call ?? of.id}`;
  const pointer = first?.pointer ?? '';
  if (of.isLost) {
    const message = `No call starts this sub-agent. It becomes a session of its own: "${id}".`;
    problems.warn('agent-without-call', pointer, message);
  }
  const { turns } = buildConversation(messagesOf(lines, agents, problems), problems);
  const partOf = agent === undefined ? undefined : { session: of.id, step: agent };
  return {
    id,
    source: { ...of.source, pointer },
    metadata: definedEntries(detailsOf(first)),
    agentVersion: versionOf(first),
    partOf,
    turns,
  };
}

function* linesOf({ file, value, lines }: Document): Generator<LogLine> {
  const list = getArray(value, 'loglines');
  for (const [index, line] of records({ file, value: list ?? value, lines })) {
    if (!isObject(line)) continue;
    const pointer = list ? `/loglines${index}` : index;
    const session = getString(line, 'sessionId') ?? getString(line, 'session_id');
    const call = getString(line, 'parent_tool_use_id');
    const isSide = get(line, 'isSidechain') === true || call !== undefined;
    yield { pointer, value: line, session, subAgent: isSide ? { agent: getString(line, 'agentId'), call } : undefined };
    // Some versions include the lines of sub-agents in the session's log.
    const data = get(line, 'type') === 'progress' ? getObject(line, 'data') : undefined;
    const nested = get(data, 'type') === 'agent_progress' ? getObject(data, 'message') : undefined;
    if (nested) {
      const side = { agent: getString(data, 'agentId'), call: getString(line, 'parentToolUseID') };
      yield { pointer: `${pointer}/data/message`, value: nested, session, subAgent: side };
    }
  }
}

function* linesOfAll({ lines, agents }: SessionThread): Generator<LogLine> {
  yield* lines;
  for (const agent of agents) yield* agent.lines;
}

function warnOfAbandonedBranches({ abandonedBranches }: SessionThread, problems: Problems): void {
  for (const { line, prompts } of abandonedBranches) {
    const turns = prompts === 1 ? 'one turn is' : `${prompts} turns are`;
    const message = `The user went back to before this message and continued differently: ${turns} skipped.`;
    problems.warn('left-branch', line.pointer, message);
  }
}

/** Of Claude Code itself. */
function versionOf(line: LogLine | undefined): string | undefined {
  return getString(line?.value, 'version');
}

function detailsOf(line: LogLine | undefined): Readonly<Record<string, unknown>> {
  const value = line?.value;
  return {
    cwd: getString(value, 'cwd'),
    git_branch: getString(value, 'gitBranch'),
    version: getString(value, 'version'),
  };
}

/** Titles of sessions: userTitle by the user, by a model, or by the summary of a line's branch. */
class SessionTitles {
  readonly #userTitles = new Map<string | undefined, string>();
  readonly #modelTitles = new Map<string | undefined, string>();
  readonly #summaries = new Map<string, string>();

  constructor(lines: readonly LogLine[]) {
    for (const { value, session } of lines) {
      const type = get(value, 'type');
      const userTitle = type === 'custom-title' ? getString(value, 'customTitle') : undefined;
      const modelTitle = type === 'ai-title' ? getString(value, 'aiTitle') : undefined;
      const summary = type === 'summary' ? getString(value, 'summary') : undefined;
      const leaf = getString(value, 'leafUuid');
      if (userTitle) this.#userTitles.set(session, userTitle);
      if (modelTitle) this.#modelTitles.set(session, modelTitle);
      if (summary && leaf !== undefined) this.#summaries.set(leaf, summary);
    }
  }

  of({ id, lines }: SessionThread): string | undefined {
    const summarised = this.#summaries.size === 0 ? undefined : lines.findLast((line) => this.#summaryOf(line));
    return this.#userTitles.get(id) ?? this.#modelTitles.get(id) ?? (summarised && this.#summaryOf(summarised));
  }

  #summaryOf({ value }: LogLine): string | undefined {
    return this.#summaries.get(getString(value, 'uuid') ?? '');
  }
}

/** The last line of stream output says how the run ended; of a session that was resumed, how the last run did. */
function endingsBySession(lines: readonly LogLine[]): ReadonlyMap<string | undefined, SessionEnding> {
  const endings = new Map<string | undefined, SessionEnding>();
  for (const { value, pointer, session } of lines) {
    if (get(value, 'type') !== 'result') continue;
    const ending = endingOfStatus(getString(value, 'subtype'), `${pointer}/subtype`, { success: 'regular' });
    if (ending) endings.set(session, ending);
  }
  return endings;
}

/** Only stream output names the tools. */
function catalogueOf(lines: readonly LogLine[]): Tool[] | undefined {
  const start = lines.find(({ value }) => get(value, 'subtype') === 'init');
  return getArray(start?.value, 'tools')?.flatMap((name) => (typeof name === 'string' ? [{ name }] : []));
}
