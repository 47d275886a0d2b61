import * as vscode from 'vscode';
import {
  AGENT_TOOL_NAMES,
  type AgentToolCost,
  type AgentToolName,
  agentToolCost,
  callAgentTool,
} from '../protocol/agent-tools.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';

type ToolInput = Readonly<Record<string, unknown>>;

/** How agents in this editor get the tools: from the extension, from `turnwise mcp`, or not at all. */
export function agentToolsMode(): 'editor' | 'mcp' | 'off' {
  const value = vscode.workspace.getConfiguration('turnwise').get<unknown>('agentTools');
  return value === 'mcp' || value === 'off' ? value : 'editor';
}

/** Calls `follow` whenever the mode may have changed. */
export function onAgentToolsMode(follow: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('turnwise.agentTools')) follow();
  });
}

/** The tools for coding agents in the editor. The server starts when the first is called. */
export class AgentTools implements vscode.Disposable {
  readonly #server: Pick<LanguageServer, 'request'>;
  readonly #listening: vscode.Disposable;
  #registered: vscode.Disposable | undefined;

  constructor(server: Pick<LanguageServer, 'request'>) {
    this.#server = server;
    this.#follow();
    this.#listening = onAgentToolsMode(() => this.#follow());
  }

  #follow(): void {
    // Some editors that run extensions of VS Code have no tools.
    const isOn = agentToolsMode() === 'editor' && 'registerTool' in vscode.lm;
    if (isOn === (this.#registered !== undefined)) return;
    this.#registered?.dispose();
    this.#registered = isOn
      ? vscode.Disposable.from(
          ...AGENT_TOOL_NAMES.map((name) =>
            vscode.lm.registerTool(`turnwise_${name}`, new ServerTool(this.#server, name)),
          ),
        )
      : undefined;
  }

  dispose(): void {
    this.#listening.dispose();
    this.#registered?.dispose();
  }
}

/** A tool of the server. */
export class ServerTool implements vscode.LanguageModelTool<ToolInput> {
  readonly #server: Pick<LanguageServer, 'request'>;
  readonly #name: AgentToolName;
  /** By input: the calls of the judge that the user is asked about before the tool is invoked. */
  readonly #agreed = new Map<string, number>();

  constructor(server: Pick<LanguageServer, 'request'>, name: AgentToolName) {
    this.#server = server;
    this.#name = name;
  }

  async prepareInvocation(
    { input }: vscode.LanguageModelToolInvocationPrepareOptions<ToolInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.PreparedToolInvocation> {
    const invocationMessage = describeCall(this.#name, input);
    const key = JSON.stringify(input);
    // Of an earlier call that the user declined.
    this.#agreed.delete(key);
    if (this.#name !== 'evaluate_trace' || input.judge !== true) return { invocationMessage };
    const { cost } = await this.#server.request(agentToolCost, { input }, token);
    // Then nothing is sent, and the tool says why.
    if (!cost) return { invocationMessage };
    this.#agreed.set(key, cost.maxCalls);
    const title = vscode.l10n.t('Ask the Judge?');
    return { invocationMessage, confirmationMessages: { title, message: describeCost(cost) } };
  }

  /** VS Code invokes a tool only after the user has agreed to what `prepareInvocation` says. */
  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<ToolInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const key = JSON.stringify(input);
    const agreedCalls = this.#agreed.get(key) ?? null;
    this.#agreed.delete(key);
    const call = { tool: this.#name, input, agreedCalls };
    const { text, isError } = await this.#server.request(callAgentTool, call, token);
    // The agent reads the message of an error.
    if (isError) throw new Error(text);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }
}

/** What the editor shows while a tool runs. */
function describeCall(name: AgentToolName, input: ToolInput): string {
  switch (name) {
    case 'list_runs':
      return vscode.l10n.t('Listing recorded runs');
    case 'evaluate_trace':
      return input.judge === true
        ? vscode.l10n.t('Evaluating {0} with the judge', label(input.path))
        : vscode.l10n.t('Evaluating {0} by rules', label(input.path));
    case 'find_failures':
      return vscode.l10n.t('Finding failures of run {0}', label(input.run ?? 'last'));
    case 'get_turn':
      return vscode.l10n.t('Reading turn {0} of run {1}', label(input.turn), label(input.run ?? 'last'));
    case 'explain_score':
      return vscode.l10n.t('Explaining scores of run {0}', label(input.run ?? 'last'));
    case 'compare_runs':
      return vscode.l10n.t(
        'Comparing run {0} with run {1}',
        label(input.after ?? 'last'),
        label(input.before ?? 'last~1'),
      );
  }
}

function describeCost({ path, model, sessions, calls, cachedCalls, tokens, maxCalls }: AgentToolCost): string {
  return vscode.l10n.t(
    'This sends text of {0} to {1}: sessions: {2}, calls: about {3} (at most {4}), tokens: about {5}. Nothing is recorded.',
    label(path),
    label(model),
    sessions,
    calls - cachedCalls,
    maxCalls,
    tokens.toLocaleString('en-US'),
  );
}

/** In UTF-16 code units. */
const MAX_LABEL = 100;

/** A value that the agent has chosen. */
function label(value: unknown): string {
  const text = escapeLabel(String(value));
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text;
}
