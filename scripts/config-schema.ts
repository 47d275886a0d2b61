/** Writes the JSON schemas of the user's files, which the editor uses for completion and checks. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baselineJsonSchema } from '../src/config/baseline-json-schema.ts';
import { configurationJsonSchema } from '../src/config/json-schema.ts';
import { REGISTRY } from '../src/config/registry.ts';
import { sessionFileJsonSchema } from '../src/formats/turnwise-json-schema.ts';
import { sidecarJsonSchema } from '../src/input/sidecar-schema.ts';
import { scenarioJsonSchema } from '../src/scenarios/scenario-json-schema.ts';

const dist = join(import.meta.dirname, '..', 'dist');
await mkdir(dist, { recursive: true });
for (const [name, schema] of [
  ['turnwise.config.schema.json', configurationJsonSchema(REGISTRY)],
  ['turnwise.sidecar.schema.json', sidecarJsonSchema()],
  ['turnwise.baseline.schema.json', baselineJsonSchema()],
  ['turnwise.scenario.schema.json', scenarioJsonSchema()],
  ['turnwise.session.schema.json', sessionFileJsonSchema()],
] as const) {
  await writeFile(join(dist, name), `${JSON.stringify(schema)}\n`);
}
