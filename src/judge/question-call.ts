import type { Evidence } from '../core/result.ts';
import type { AnswerForm, AnswerForms } from './answer-forms.ts';
import { answerSchema } from './answer-schema.ts';
import type { Call } from './caller.ts';
import type { PromptText } from './prompting/session-prompts.ts';
import type { Question } from './question.ts';

/** A call with what its answer is read by. */
export interface QuestionCall extends Call {
  readonly answers: ReadonlyMap<Question, AnswerForm>;
  /** That an answer may cite; empty: any. */
  readonly ids: readonly string[];
  cite(ids: readonly string[]): readonly Evidence[];
}

/** @param complaints sentences about the last answer to the same questions. */
export function callOf(
  where: string,
  questions: readonly Question[],
  { system, parts, known, cite }: PromptText,
  forms: AnswerForms,
  complaints: readonly string[] = [],
): QuestionCall {
  const { ids, calls } = known;
  const answers = new Map(questions.map((question) => [question, forms.of(question, calls)] as const));
  return {
    name: `${where}: ${questions.map(({ name }) => name).join(', ')}`,
    prompt: { system, parts: complaints.length === 0 ? parts : [...parts, askedAgain(complaints)] },
    schema: answerSchema(new Map(Array.from(answers, ([{ name }, { schema }]) => [name, schema])), ids),
    answers,
    ids,
    cite,
  };
}

function askedAgain(complaints: readonly string[]): string {
  return `# Your last answer did not fit

${complaints.map((complaint) => `- ${complaint}`).join('\n')}

Answer the ${complaints.length === 1 ? 'question' : 'questions'} again, so that the answer fits the schema.`;
}
