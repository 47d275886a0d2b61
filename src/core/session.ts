/**
 * The canonical shape that every trace format is read into.
 *
 * It is Turnwise's own file format plus provenance: every session, turn and step carries the JSON pointer of the
 * value it was read from, so that whatever is said about it can be traced to a line.
 */

/** An RFC 6901 JSON pointer. In a JSON Lines file its first token is the zero-based number of the line. */
export type Pointer = string;

export interface Source {
  /** Path as the user would type it, or `-` for standard input. */
  readonly file: string;
  /** Name of the format that read it. */
  readonly format: string;
  readonly pointer: Pointer;
}

/** One conversation between a user and an agent. */
export interface Session {
  readonly id: string;
  readonly source: Source;
  /** Another file, whose expectations it is compared with. */
  readonly expectedIn?: string;
  readonly goal?: string;
  readonly goalPointer?: Pointer;
  readonly profile?: string;
  /** Whether edits and commands are the work itself, where the file or its format says so. */
  readonly coding?: boolean;
  /** The instructions or the policy that the agent had. */
  readonly system?: string;
  /** Where they begin, in `source.file`; absent where the format does not say, and where they come from elsewhere. */
  readonly systemPointer?: Pointer;
  readonly knowledge?: readonly string[];
  readonly knowledgePointer?: Pointer;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly task?: Task;
  /** The catalogue of tools; absent when the trace does not say which tools there were. */
  readonly tools?: readonly Tool[];
  readonly reference?: SessionReference;
  readonly scores?: ImportedScores;
  /** Of findings in any of its turns. */
  readonly suppressions?: readonly Suppression[];
  /** Of the session as a whole. */
  readonly feedback?: readonly Feedback[];
  /** The log of a sub-agent by itself: the step of another session that it belongs to. */
  readonly partOf?: { readonly session: string; readonly step: string };
  readonly turns: readonly Turn[];
}

/** A person looked at what a rule found and accepted it: it is shown as suppressed, and not lost. */
export interface Suppression {
  readonly rule: string;
  readonly reason: string;
}

/**
 * What a person thinks of a turn, or of the one thing that is said of it: by a metric, by a rule, or as a failure of this label
 * that no rule found. It changes no score.
 */
export interface Feedback {
  readonly metric?: string;
  readonly rule?: string;
  readonly label?: string;
  /** Whether it is right; of the turn itself, whether it is good. */
  readonly value: 'up' | 'down';
  /** The score or the label that it is about, as it was then. */
  readonly score?: number | string;
  readonly note?: string;
  /** ISO 8601. */
  readonly at?: string;
}

/** Sessions of one task are attempts of it. */
export interface Task {
  readonly id: string;
  readonly trial?: string;
  readonly dataset?: string;
  readonly agent?: string;
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema?: unknown;
  readonly changesState?: boolean;
}

export interface SessionReference {
  readonly goalReached?: boolean;
  readonly finalState?: unknown;
  readonly documents?: readonly string[];
  /** The calls expected over the whole session, where the source does not say in which turn. */
  readonly toolCalls?: readonly ExpectedCall[];
}

/** Scores that the file carries: a person's or another tool's. They win over computed ones. */
export type ImportedScores = Readonly<Record<string, number | string>>;

/** What starts with a user message and all that the agent did until the next. */
export interface Turn {
  readonly id: string;
  readonly pointer: Pointer;
  /** Only where a turn was read from another file than its session's `source.file`. */
  readonly file?: string;
  /** Null when the agent spoke before any user did. */
  readonly input: string | null;
  readonly inputPointer?: Pointer;
  /** The agent's last text of the turn; null when there is none. */
  readonly output: string | null;
  readonly outputPointer?: Pointer;
  /** False when the content was not recorded: absence then proves nothing. */
  readonly captured?: false;
  /** ISO 8601. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** The catalogue of this turn, where it differs from the session's. */
  readonly tools?: readonly Tool[];
  readonly steps: readonly Step[];
  readonly reference?: TurnReference;
  readonly scores?: ImportedScores;
  readonly suppressions?: readonly Suppression[];
  readonly feedback?: readonly Feedback[];
}

export interface TurnReference {
  readonly response?: string;
  readonly toolCalls?: readonly ExpectedCall[];
  /** Default true. */
  readonly orderMatters?: boolean;
  readonly forbiddenTools?: readonly string[];
  readonly documents?: readonly string[];
  /** Fair Forge's own flag: the answer uses what the tools returned. */
  readonly usesToolResults?: boolean;
}

export interface ExpectedCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Fair Forge's absolute position, counted as its source counts. */
  readonly step?: number;
}

export type Step = ModelStep | ToolStep | RetrievalStep | AgentStep;

export interface ModelStep {
  readonly type: 'model';
  readonly pointer: Pointer;
  readonly text?: string;
  readonly reasoning?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly speaker?: string;
  readonly usage?: TokenUsage;
  /** Of the model call itself: a provider's failure, not the agent's. */
  readonly error?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** Counts of tokens. `cachedTokens` are part of the input, `reasoningTokens` are apart from `outputTokens`. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
  readonly toolPromptTokens?: number;
}

/** `rejected`: the user refused it. `missing`: it was requested, and nothing shows that it was executed. */
export type ToolOutcome = 'ok' | 'error' | 'rejected' | 'missing';

export interface ToolStep {
  readonly type: 'tool';
  /** Of the request. */
  readonly pointer: Pointer;
  readonly resultPointer?: Pointer;
  readonly id?: string;
  readonly name: string;
  /** The raw text when it was not a JSON object. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  readonly result?: unknown;
  /** What the tool said when it failed. */
  readonly error?: string;
  readonly outcome: ToolOutcome;
  readonly requestedBy: 'agent' | 'user';
  readonly speaker?: string;
  /** Fair Forge's absolute position. */
  readonly step?: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

export interface RetrievalStep {
  readonly type: 'retrieval';
  readonly pointer: Pointer;
  readonly query?: string;
  readonly documents: readonly { readonly id?: string; readonly text: string; readonly score?: number }[];
}

/** A sub-agent: its turns belong to the step that called it. */
export interface AgentStep {
  readonly type: 'agent';
  readonly pointer: Pointer;
  /** Of the sub-agent, by which a log of its own is found. */
  readonly id?: string;
  readonly name: string;
  readonly turns: readonly Turn[];
}

/** The agent's tool calls of a turn, in order; a simulated user's own calls are not the agent's. */
export function agentToolCalls(turn: Turn): ToolStep[] {
  return turn.steps.filter((step): step is ToolStep => step.type === 'tool' && step.requestedBy === 'agent');
}

/** The tools that were available in a turn; undefined when the trace does not say. */
export function availableTools(session: Session, turn: Turn): readonly Tool[] | undefined {
  return turn.tools ?? session.tools;
}

/** The file that a turn was read from. */
export function turnFile(session: Session, turn: Turn): string {
  return turn.file ?? session.source.file;
}
