import type { SpanDialect } from '../dialect.ts';
import { adk } from './adk.ts';
import { aiSdk } from './ai-sdk.ts';
import { genAi } from './gen-ai.ts';
import { langfuse } from './langfuse.ts';
import { mlflow } from './mlflow.ts';
import { openInference } from './open-inference.ts';

/**
 * All dialects of spans, in the order in which they are tried: frameworks, which know agents and tools, before
 * conventions that libraries of model providers use as well.
 */
export const SPAN_DIALECTS: readonly SpanDialect[] = [langfuse, adk, aiSdk, openInference, mlflow, genAi];
