import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod';
import type { Session } from '../../../src/core/session.ts';
import { sharedData } from '../../support/shared-data.ts';

/**
 * Answers to questions with what is right beside them, half of them wrong, of langchain-ai/langchain-benchmarks
 * (archived/meta-evals/correctness): made to judge judges.
 */
const FILES = ['Correct', 'Incorrect'].map((name) => `judge-meta-eval/Web-Q&A-Dataset-${name}.json`);

const answers = z.object({
  examples: z.array(
    z.object({
      inputs: z.object({ input: z.string(), input_answer: z.string(), input_prediction: z.string() }),
      outputs: z.object({ output_correctness_score: z.number() }),
    }),
  ),
});

/** A session of one turn for each answer, with whether it is right as its reward; null where the data is not there. */
export async function labelledAnswers(): Promise<readonly Session[] | null> {
  const paths = FILES.map(sharedData).filter((path) => path !== null);
  if (paths.length < FILES.length) return null;
  const read = await Promise.all(
    paths.map(async (path) => sessionsOf(basename(path, '.json'), path, JSON.parse(await readFile(path, 'utf8')))),
  );
  return read.flat();
}

/** @throws ZodError where it is no such file. */
export function sessionsOf(name: string, file: string, document: unknown): Session[] {
  return answers.parse(document).examples.map(({ inputs, outputs }, index) => ({
    id: `${name} ${index + 1}`,
    source: { file, format: 'judge-meta-eval', pointer: `/examples/${index}` },
    scores: { reward: outputs.output_correctness_score },
    turns: [
      {
        id: `${name} ${index + 1}`,
        pointer: `/examples/${index}`,
        input: inputs.input,
        inputPointer: `/examples/${index}/inputs/input`,
        output: inputs.input_prediction,
        outputPointer: `/examples/${index}/inputs/input_prediction`,
        steps: [],
        reference: { response: inputs.input_answer },
      },
    ],
  }));
}
