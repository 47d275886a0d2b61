import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../src/core/session.ts';
import { detect, FORMATS } from '../../../src/formats/index.ts';
import { documentAt, pointersOf, read, resolve } from './read-fixture.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');

/**
 * Files of every format: made up, or written by an SDK (`sdk-generated`). Most hold the same conversation: two turns,
 * seven model calls and five tool calls, of which two fail. Others hold less, as their format or their case demands.
 */
const COUNTS: readonly (readonly [
  file: string,
  format: string,
  sessions: number,
  turns: number,
  answered: number,
  models: number,
  calls: number,
  errors: number,
  missing: number,
])[] = [
  ['formats/ag2.json', 'ag2', 1, 2, 2, 7, 5, 2, 0],
  ['formats/agent-e1f.jsonl', 'claude-code', 1, 1, 1, 2, 1, 0, 0],
  ['formats/agentest-comparison.json', 'agentest', 2, 4, 4, 0, 10, 4, 0],
  ['formats/agentest-results.json', 'agentest', 1, 2, 2, 0, 3, 0, 0],
  ['formats/ai-sdk-model-v4.jsonl', 'ai-sdk', 2, 4, 4, 10, 10, 4, 0],
  ['formats/ai-sdk-model.json', 'ai-sdk', 1, 2, 2, 7, 5, 2, 0],
  ['formats/ai-sdk-ui-v4.json', 'ai-sdk', 1, 2, 2, 7, 5, 2, 0],
  ['formats/ai-sdk-ui.json', 'ai-sdk', 1, 2, 2, 7, 5, 2, 0],
  ['formats/anthropic-body.json', 'anthropic-messages', 1, 2, 2, 7, 5, 2, 0],
  ['formats/anthropic-messages.json', 'anthropic-messages', 1, 2, 2, 7, 5, 2, 0],
  ['formats/anthropic-messages.jsonl', 'anthropic-messages', 1, 2, 2, 7, 5, 2, 0],
  ['formats/anthropic-response.json', 'anthropic-messages', 1, 1, 1, 1, 3, 1, 1],
  ['formats/any-agent.json', 'any-agent', 1, 1, 1, 6, 5, 1, 1],
  ['formats/atif-sub-agents.json', 'atif', 1, 1, 1, 2, 1, 0, 0],
  ['formats/atif.json', 'atif', 1, 2, 2, 7, 5, 2, 0],
  ['formats/autogen-events.jsonl', 'autogen', 1, 2, 2, 7, 5, 2, 0],
  ['formats/autogen.json', 'autogen', 1, 2, 2, 7, 5, 2, 0],
  ['formats/bedrock-converse-log.jsonl', 'bedrock-converse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/bedrock-converse.json', 'bedrock-converse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/claude-code-agents.jsonl', 'claude-code', 1, 4, 2, 8, 6, 1, 0],
  ['formats/claude-code-stream.jsonl', 'claude-code', 1, 2, 2, 7, 5, 2, 0],
  ['formats/claude-code-web.json', 'claude-code', 1, 2, 2, 7, 5, 2, 0],
  ['formats/claude-code.jsonl', 'claude-code', 1, 2, 2, 6, 5, 2, 0],
  ['formats/codex-items.json', 'codex', 1, 2, 2, 7, 5, 2, 0],
  ['formats/codex.json', 'codex', 1, 2, 2, 7, 5, 2, 0],
  ['formats/codex.jsonl', 'codex', 1, 2, 2, 7, 5, 2, 0],
  ['formats/conv-camel.session.json', 'adk-session', 1, 2, 2, 7, 5, 2, 0],
  ['formats/conv.session.json', 'adk-session', 1, 2, 2, 7, 5, 2, 0],
  ['formats/fair-forge.json', 'fair-forge', 1, 2, 2, 0, 5, 2, 0],
  ['formats/fair-forge.jsonl', 'fair-forge', 2, 4, 4, 0, 10, 4, 0],
  ['formats/gemini-batch.jsonl', 'gemini-contents', 1, 2, 2, 7, 5, 2, 0],
  ['formats/gemini-contents.json', 'gemini-contents', 1, 2, 2, 7, 5, 2, 0],
  ['formats/inspect-ai.json', 'inspect-ai', 2, 3, 3, 8, 8, 2, 0],
  ['formats/jaeger-adk.json', 'jaeger', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langchain-constructor.json', 'langchain', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langchain-stored.json', 'langchain', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langchain-threads.jsonl', 'langchain', 2, 3, 3, 8, 5, 2, 0],
  ['formats/langfuse-export.json', 'langfuse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langfuse-observations.json', 'langfuse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langfuse-page.json', 'langfuse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langfuse-rows.jsonl', 'langfuse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langfuse-session.json', 'langfuse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langfuse-traces.jsonl', 'langfuse', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langgraph-history.json', 'langchain', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langsmith-batch.json', 'langsmith', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langsmith-runs.jsonl', 'langsmith', 1, 2, 2, 7, 5, 2, 0],
  ['formats/langsmith-trees.json', 'langsmith', 1, 2, 2, 7, 5, 2, 0],
  ['formats/magentic-one.json', 'magentic-one', 1, 1, 1, 9, 1, 0, 0],
  ['formats/mini-swe-agent-tools.traj.json', 'mini-swe-agent', 1, 2, 2, 3, 5, 1, 1],
  ['formats/mini-swe-agent.traj.json', 'mini-swe-agent', 1, 1, 1, 6, 4, 2, 0],
  ['formats/mlflow-v2.jsonl', 'mlflow', 1, 2, 2, 7, 5, 2, 0],
  ['formats/mlflow-v3.json', 'mlflow', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-agents-state.json', 'openai-agents', 1, 1, 1, 7, 5, 2, 0],
  ['formats/openai-agents-trace.json', 'openai-agents', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-chat-body.json', 'openai-chat', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-chat-finetune.jsonl', 'openai-chat', 2, 4, 4, 14, 10, 4, 0],
  ['formats/openai-chat-messages.jsonl', 'openai-chat', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-chat.json', 'openai-chat', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-responses-camel.json', 'openai-responses', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-responses-chain.jsonl', 'openai-responses', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-responses-request.json', 'openai-responses', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-responses.json', 'openai-responses', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openai-responses.jsonl', 'openai-responses', 1, 2, 2, 7, 5, 2, 0],
  ['formats/openhands-output.jsonl', 'openhands', 2, 2, 1, 5, 6, 1, 1],
  ['formats/openhands.json', 'openhands', 1, 2, 2, 7, 5, 2, 0],
  ['formats/otel-messages.json', 'otel-messages', 1, 2, 2, 7, 5, 2, 0],
  ['formats/otlp-events.jsonl', 'otlp', 1, 2, 2, 7, 5, 2, 0],
  ['formats/otlp-gen-ai.json', 'otlp', 1, 2, 2, 7, 5, 2, 0],
  ['formats/otlp-openllmetry.json', 'otlp', 1, 2, 2, 7, 5, 2, 0],
  ['formats/pandaprobe-trace.json', 'pandaprobe', 1, 1, 1, 6, 5, 1, 1],
  ['formats/pandaprobe-traces.json', 'pandaprobe', 1, 2, 2, 7, 5, 1, 1],
  ['formats/phoenix-page.json', 'phoenix', 1, 2, 2, 7, 5, 2, 0],
  ['formats/phoenix-traces.json', 'phoenix', 1, 2, 2, 7, 5, 2, 0],
  ['formats/sessions.turnwise.json', 'turnwise', 1, 2, 2, 2, 5, 2, 0],
  ['formats/sessions.turnwise.jsonl', 'turnwise', 2, 4, 4, 4, 10, 4, 0],
  ['formats/sharegpt-hermes.jsonl', 'sharegpt', 1, 2, 2, 7, 5, 2, 0],
  ['formats/sharegpt.json', 'sharegpt', 1, 2, 2, 7, 5, 2, 0],
  ['formats/span-list-agentcore.jsonl', 'span-list', 1, 2, 2, 7, 5, 2, 0],
  ['formats/span-list-console.jsonl', 'span-list', 1, 2, 2, 7, 5, 2, 0],
  ['formats/span-list-openinference-events.json', 'span-list', 1, 2, 2, 7, 5, 2, 0],
  ['formats/span-list-strands.json', 'span-list', 1, 2, 2, 7, 5, 2, 0],
  ['formats/swe-agent-attempts.traj', 'swe-agent', 2, 3, 3, 4, 3, 0, 0],
  ['formats/swe-agent.traj', 'swe-agent', 1, 1, 1, 7, 5, 1, 1],
  ['formats/tapeagents.json', 'tapeagents', 1, 2, 2, 6, 5, 2, 0],
  ['formats/tau-bench.json', 'tau-bench', 3, 4, 4, 14, 10, 4, 0],
  ['formats/tau2-bench.json', 'tau2-bench', 2, 4, 4, 9, 6, 3, 0],
  ['formats/tempo.jsonl', 'tempo', 1, 2, 2, 7, 5, 2, 0],
  ['formats/toolbench.json', 'toolbench', 1, 1, 1, 7, 6, 2, 0],
  ['formats/trail.json', 'trail', 1, 2, 2, 7, 5, 2, 0],
  ['formats/who-and-when-ag2.json', 'who-and-when', 1, 1, 1, 6, 1, 1, 0],
  ['formats/who-and-when.json', 'who-and-when', 1, 1, 1, 5, 0, 0, 0],
  ['sdk-generated/agentest_results.json', 'agentest', 1, 2, 2, 0, 3, 0, 0],
  ['sdk-generated/langchain_stored_messages.json', 'langchain', 1, 2, 2, 7, 5, 2, 0],
  ['sdk-generated/langgraph_js_lc_constructor.json', 'langchain', 1, 2, 2, 7, 5, 2, 0],
  ['sdk-generated/langgraph_thread_state_plain.json', 'langchain', 1, 2, 2, 7, 5, 2, 0],
  ['sdk-generated/langsmith_run_tree_turn1.json', 'langsmith', 1, 1, 1, 6, 5, 2, 0],
  ['sdk-generated/langsmith_run_tree_turn2.json', 'langsmith', 1, 2, 2, 7, 5, 2, 0],
  ['sdk-generated/langsmith_runs_flat.json', 'langsmith', 1, 1, 1, 6, 5, 2, 0],
  ['sdk-generated/openai_agents_js_history_items.json', 'openai-responses', 1, 1, 1, 5, 4, 1, 0],
  ['sdk-generated/openai_agents_js_trace.json', 'openai-agents', 1, 1, 0, 4, 4, 1, 1],
  ['sdk-generated/openinference_langgraph_otlp.json', 'otlp', 1, 2, 2, 7, 5, 2, 0],
  ['sdk-generated/vercel_ai_v5_modelmessages.json', 'ai-sdk', 1, 2, 2, 7, 5, 2, 0],
  ['sdk-generated/vercel_ai_v5_otlp.json', 'otlp', 1, 2, 2, 7, 5, 2, 0],
  ['sdk-generated/vercel_ai_v5_uimessages.json', 'ai-sdk', 1, 2, 2, 7, 5, 2, 0],
  ['edge/bom.json', 'openai-chat', 1, 1, 1, 2, 1, 0, 0],
  ['edge/crlf-one-bad-line.jsonl', 'openai-chat', 1, 1, 1, 1, 0, 0, 0],
];

describe('the samples in the repository', () => {
  it('cover every format with sessions', () => {
    const names = FORMATS.map(({ name }) => name).filter((name) => name !== 'adk-evalset');
    expect(names.filter((name) => !COUNTS.some(([, format]) => format === name))).toEqual([]);
  });

  it.each(COUNTS)('%s, of the format %s, has its sessions, turns and calls', (file, format, ...counts) => {
    const document = documentAt(join(FIXTURES, file), file);
    expect(detect(document)?.format.name).toBe(format);
    const reading = read(document);
    for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
    const turns = reading.sessions.flatMap((session) => session.turns);
    const calls = turns.flatMap(agentToolCalls);
    const withOutcome = (outcome: string) => calls.filter((call) => call.outcome === outcome).length;
    expect([
      reading.sessions.length,
      turns.length,
      turns.filter(({ output }) => output !== null).length,
      turns.flatMap(({ steps }) => steps.filter(({ type }) => type === 'model')).length,
      calls.length,
      withOutcome('error'),
      withOutcome('missing'),
    ]).toEqual(counts);
  });
});
