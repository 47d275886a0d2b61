import { costOfCall } from '../../agent-tools/evaluate-trace.ts';
import { ProjectRuns } from '../../agent-tools/project-runs.ts';
import { ProjectTraces } from '../../agent-tools/project-traces.ts';
import type { AgentToolContext } from '../../agent-tools/tool.ts';
import { ToolError } from '../../agent-tools/tool-error.ts';
import { AGENT_TOOLS } from '../../agent-tools/tools.ts';
import { type AllowedJudge, createTraceEvaluation, type JudgeRequest } from '../../agent-tools/trace-evaluation.ts';
import { remoteModelHosts } from '../../app/model-hosts.ts';
import { requiredModels } from '../../app/required-models.ts';
import { LruCache } from '../../core/cache/lru-cache.ts';
import type { FileSystem } from '../../input/file-system.ts';
import type { AgentToolCost, AgentToolName, AgentToolResult } from '../../protocol/agent-tools.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { dataFolder } from '../../store/home.ts';
import type { ModelAccess } from '../consent/model-access.ts';
import type { ModelEditor } from '../editor.ts';

/** A call of a tool about one project. */
export interface AgentToolQuery {
  readonly tool: AgentToolName;
  readonly input: Readonly<Record<string, unknown>>;
  /** The path of the project. */
  readonly project: string;
  /** The calls of the judge that the user has agreed to; null where the user was not asked. */
  readonly agreedCalls: number | null;
  /** The number of the last evaluation, also of threads that have ended. */
  readonly evaluations: number;
}

export interface AgentToolAnswered extends AgentToolResult {
  readonly evaluations: number;
}

/** The tools, in whatever thread they work. */
export interface AgentToolWork {
  call(query: AgentToolQuery, signal: AbortSignal): Promise<AgentToolAnswered>;
  cost(query: AgentToolQuery, signal: AbortSignal): Promise<AgentToolCost | null>;
}

/** What a call may ask of models. */
interface CallModels {
  readonly editor: Pick<ModelEditor, 'listEditorModels' | 'askEditorModel'>;
  readonly access: Pick<ModelAccess, 'allowModels'>;
}

/** Projects whose runs stay open. */
const OPEN_PROJECTS = 4;

/** Calls tools in this thread. It keeps what they have evaluated as long as it lives. */
export class AgentToolCalls {
  readonly #store: RunStore;
  readonly #files: FileSystem;
  readonly #projects = new LruCache<string, ProjectRuns>(OPEN_PROJECTS);

  constructor(store: RunStore, files: FileSystem) {
    this.#store = store;
    this.#files = files;
  }

  /** Rejects on unexpected errors only: an agent reads what went wrong. */
  async call(query: AgentToolQuery, models: CallModels, signal: AbortSignal): Promise<AgentToolAnswered> {
    const { agreedCalls, tool, input } = query;
    const context = this.#context(query, models, signal);
    const args = agreedCalls === null ? input : { ...input, maxCalls: agreedCalls };
    try {
      const text = await AGENT_TOOLS.find(({ name }) => name === tool)?.call(args, context);
      if (text === undefined) throw new Error(`There is no tool ${tool}.`);
      return { text, isError: false, evaluations: context.runs.evaluations };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return { text: error.message, isError: true, evaluations: context.runs.evaluations };
    }
  }

  /** Null where there is nothing to agree to: the call itself says what is wrong. */
  async cost(query: AgentToolQuery, models: CallModels, signal: AbortSignal): Promise<AgentToolCost | null> {
    try {
      return await costOfCall(query.input, this.#context(query, models, signal));
    } catch (error) {
      if (error instanceof ToolError) return null;
      throw error;
    }
  }

  #context(
    { project, agreedCalls, evaluations }: AgentToolQuery,
    models: CallModels,
    signal: AbortSignal,
  ): AgentToolContext {
    // In a folder that is not trusted, no tool is called.
    const traces = new ProjectTraces(project, this.#files, true);
    const evaluate = createTraceEvaluation({
      traces,
      files: this.#files,
      env: process.env,
      async confirm() {
        if (agreedCalls !== null) return true;
        throw new ToolError('The user was not asked about what this call takes. Call the tool again.');
      },
      allowJudge: (request) => allowJudge(request, models),
    });
    return { runs: this.#runs(project, evaluations), traces, evaluate, signal };
  }

  #runs(project: string, evaluations: number): ProjectRuns {
    const known = this.#projects.get(project);
    if (known) return known;
    const runs = new ProjectRuns(this.#store, dataFolder(process.env), project, evaluations);
    const dropped = this.#projects.set(project, runs);
    dropped?.[1][Symbol.dispose]();
    return runs;
  }
}

/** An estimate sends nothing, so that it needs no consent. @throws ToolError */
async function allowJudge(
  { path, cwd, loaded, configuration, isEstimate, signal }: JudgeRequest,
  { editor, access }: CallModels,
): Promise<AllowedJudge> {
  if (isEstimate) {
    const { listEditorModels, askEditorModel: ask } = editor;
    const isInEditor = remoteModelHosts(requiredModels(configuration)).some(({ isEditor }) => isEditor);
    const editorModels = isInEditor ? { models: await listEditorModels(), ask } : undefined;
    return { configuration, env: process.env, editorModels };
  }
  const { keys } = loaded;
  const allowed = await access.allowModels({ configuration, paths: [path], cwd, keys, signal, onWait() {} });
  signal.throwIfAborted();
  // Without its judge it would be another evaluation than the one that was asked for.
  if (!allowed.hosts.some(({ isJudge }) => isJudge)) throw new ToolError(allowed.reasons.join(' '));
  return allowed;
}
