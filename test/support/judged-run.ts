import { openModels } from '../../src/app/open-models.ts';
import { checkConfiguration } from '../../src/config/check.ts';
import { REGISTRY } from '../../src/config/registry.ts';
import type { ConfigurationInput } from '../../src/config/schema.ts';
import type { JudgeSource } from '../../src/core/model-providers.ts';
import type { Report } from '../../src/core/report.ts';
import type { Session } from '../../src/core/session.ts';
import { EXIT_CODES } from '../../src/core/verdict.ts';
import { evaluateSessions } from '../../src/engine/evaluate.ts';
import type { AnswerCache } from '../../src/llm/answer-cache.ts';
import type { EditorModels } from '../../src/llm/providers/editor.ts';
import { testClock } from '../unit/judge/support.ts';

export interface JudgedRunOptions {
  readonly provider: JudgeSource;
  /** Of a server. */
  readonly baseUrl?: string;
  readonly editorModels?: EditorModels;
  readonly signal?: AbortSignal;
  readonly sessions: readonly Session[];
  /** Beside where the model is. */
  readonly configuration?: ConfigurationInput & { readonly judge?: object };
  readonly cache?: AnswerCache;
}

export interface JudgedRun {
  readonly report: Report;
  /** What `turnwise eval` exits with. */
  readonly code: number;
  /** Waited between attempts and until an outage was over, in milliseconds: they take no time. */
  readonly waitedMs: number;
  /** Sentences about an outage. */
  readonly outages: readonly string[];
}

/** Evaluates sessions with a model on a server, in this process and without waiting. */
export async function judgedRun(options: JudgedRunOptions): Promise<JudgedRun> {
  const { provider, baseUrl, sessions, configuration: input = {}, cache = null } = options;
  const written = { ...input, judge: { provider, model: 'm', ...(baseUrl && { baseUrl }), ...input.judge } };
  const { configuration, issues } = checkConfiguration(written, REGISTRY);
  if (!configuration) throw new Error(issues.map(({ message }) => message).join('\n'));
  const { signal = new AbortController().signal, editorModels } = options;
  const clock = testClock();
  const outages: string[] = [];
  const boundaryKey = new Uint8Array(32).fill(7);
  const models = openModels(
    configuration,
    {},
    { signal, answerCache: cache, boundaryKey, clock, editorModels, onExhausted: (sentence) => outages.push(sentence) },
  );
  const report = await evaluateSessions({
    ...models,
    sessions,
    configuration,
    boundaryKey: Buffer.from(boundaryKey).toString('base64'),
    version: 'test',
    signal,
    locate: () => new Map(),
  });
  return { report, code: EXIT_CODES[report.verdict], waitedMs: clock.now(), outages };
}
