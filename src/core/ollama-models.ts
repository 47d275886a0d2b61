import * as z from 'zod/mini';

const tags = z.object({
  models: z.array(
    z.object({ name: z.string(), details: z.optional(z.object({ families: z.nullish(z.array(z.string())) })) }),
  ),
});

/** The names of models that can judge in an answer of `/api/tags`, without embedding models. Null for any other answer. */
export function parseOllamaModels(answer: unknown): readonly string[] | null {
  const { success, data } = z.safeParse(tags, answer);
  if (!success) return null;
  const judges = data.models.filter(({ details }) => !details?.families?.some((family) => /bert/i.test(family)));
  return judges.map(({ name }) => name);
}
