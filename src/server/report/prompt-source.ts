import type { PromptsOf } from './prompts.ts';

/** What renders prompts; null: nothing does in this version. */
export const promptsOf: PromptsOf | null = null;
