import type { Evidence } from '../core/result.ts';
import type { ModelCall } from '../llm/chat-client.ts';
import type { AnswerSchema, AnswerSchemas } from './answer-schemas.ts';
import type { SessionPrompt } from './prompting/session-prompts.ts';
import type { Question } from './question.ts';
import { buildBatchSchema } from './strict-schema.ts';

/** A call with what its answer is read by. */
export interface BatchCall extends ModelCall {
  readonly answers: ReadonlyMap<Question, AnswerSchema>;
  /** That an answer may cite; empty: any. */
  readonly ids: readonly string[];
  cite(ids: readonly string[]): readonly Evidence[];
}

/** @param complaints sentences about the last answer to the same questions. */
export function createBatchCall(
  where: string,
  questions: readonly Question[],
  { system, parts, citable: known, cite }: SessionPrompt,
  forms: AnswerSchemas,
  complaints: readonly string[] = [],
): BatchCall {
  const { ids, calls } = known;
  const answers = new Map(questions.map((question) => [question, forms.get(question, calls)] as const));
  return {
    name: `${where}: ${questions.map(({ name }) => name).join(', ')}`,
    prompt: { system, parts: complaints.length === 0 ? parts : [...parts, retryPrompt(complaints)] },
    schema: buildBatchSchema(new Map(Array.from(answers, ([{ name }, { schema }]) => [name, schema])), ids),
    answers,
    ids,
    cite,
  };
}

function retryPrompt(complaints: readonly string[]): string {
  return `# Your last answer did not fit

${complaints.map((complaint) => `- ${complaint}`).join('\n')}

Answer the ${complaints.length === 1 ? 'question' : 'questions'} again, so that the answer fits the schema.`;
}
