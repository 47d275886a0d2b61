/**
 * `npm run bench:judged -- FOLDER…`: takes over judgements into `judged.json`. A folder has what each reader said of the
 * findings of the draw, `first.json` and `second.json`: `[{ "key", "verdict", "proof" }]`, and `sample.json`, the draw that
 * they had before them. `judged.json` may be edited by hand, too.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type FindingLevel, LEVELS } from '../../../src/core/severity.ts';
import { deliverySchema, JUDGED_FILE, judgedFindings, mergeJudgements, READERS, type RuleByKey } from './judged.ts';
import { labelledSets } from './labelled-sets.ts';
import { findingKey } from './sample.ts';

const drawSchema = z.array(z.object({ key: z.string(), rule: z.string(), severity: z.enum(LEVELS) }));

function readJson<Value>(file: string, schema: z.ZodType<Value>): Value | null {
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

const sessions = (await labelledSets()) ?? [];
const current = sessions.flatMap((session) =>
  session.findings.map((finding) => [findingKey(session, finding), finding] as const),
);
let judged = judgedFindings();
for (const folder of process.argv.slice(2)) {
  const drawn = readJson(join(folder, 'sample.json'), drawSchema) ?? [];
  const delivered = READERS.map((reader) => [reader, readJson(join(folder, `${reader}.json`), deliverySchema) ?? []]);
  const known: RuleByKey = new Map<string, { rule: string; severity: FindingLevel }>([
    ...current,
    ...drawn.map((item) => [item.key, item] as const),
  ]);
  judged = mergeJudgements(judged, Object.fromEntries(delivered), known);
}
writeFileSync(JUDGED_FILE, `${JSON.stringify(judged, null, 2)}\n`);
process.stdout.write(`${judged.length} findings are judged.\n`);
