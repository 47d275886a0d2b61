import type { Document } from '../core/document.ts';
import { agentest } from './agentest.ts';
import { adkEvalset } from './agents/adk-evalset.ts';
import { adkSession } from './agents/adk-session.ts';
import { atif } from './agents/atif.ts';
import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { miniSweAgent } from './agents/mini-swe-agent.ts';
import { openHands } from './agents/openhands.ts';
import { sweAgent } from './agents/swe-agent.ts';
import { tapeAgents } from './agents/tapeagents.ts';
import { inspectAi, magenticOne, tau2Bench, tauBench, toolBench, trail, whoAndWhen } from './benchmarks/index.ts';
import { aiSdk } from './chat/ai-sdk.ts';
import { anthropicMessages } from './chat/anthropic-messages.ts';
import { ag2, autoGen } from './chat/autogen.ts';
import { bedrockConverse } from './chat/bedrock-converse.ts';
import { geminiContents } from './chat/gemini-contents.ts';
import { langChain } from './chat/langchain.ts';
import { openAiChat } from './chat/openai-chat.ts';
import { openAiResponses } from './chat/openai-responses.ts';
import { otelMessages } from './chat/otel-messages.ts';
import { shareGpt } from './chat/sharegpt.ts';
import { fairForge } from './fair-forge.ts';
import type { Format } from './format.ts';
import { anyAgent } from './spans/any-agent.ts';
import { jaeger } from './spans/jaeger.ts';
import { langfuse } from './spans/langfuse.ts';
import { langSmith } from './spans/langsmith.ts';
import { mlflow } from './spans/mlflow.ts';
import { openAiAgents } from './spans/openai-agents.ts';
import { otlp } from './spans/otlp.ts';
import { pandaProbe } from './spans/pandaprobe.ts';
import { phoenix } from './spans/phoenix.ts';
import { spanList } from './spans/span-list.ts';
import { tempo } from './spans/tempo.ts';
import { turnwise } from './turnwise.ts';

/** All formats in the order of detection, the most specific first. */
export const FORMATS: readonly Format[] = [
  turnwise,
  fairForge,
  otlp,
  tempo,
  jaeger,
  toolBench,
  tauBench,
  tau2Bench,
  inspectAi,
  sweAgent,
  miniSweAgent,
  atif,
  openHands,
  tapeAgents,
  agentest,
  whoAndWhen,
  adkEvalset,
  adkSession,
  langfuse,
  langSmith,
  phoenix,
  mlflow,
  pandaProbe,
  trail,
  anyAgent,
  spanList,
  claudeCode,
  codex,
  openAiAgents,
  openAiResponses,
  anthropicMessages,
  langChain,
  aiSdk,
  otelMessages,
  bedrockConverse,
  geminiContents,
  autoGen,
  shareGpt,
  magenticOne,
  ag2,
  openAiChat,
];

/**
 * The first format that matches a document, with the reason; null if none matches. Looks at a bounded part of the
 * document.
 */
export function detect(document: Document): { readonly format: Format; readonly reason: string } | null {
  for (const format of FORMATS) {
    const reason = format.detect(document);
    if (reason !== null) return { format, reason };
  }
  return null;
}
