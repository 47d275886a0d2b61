/** Writes the JSON schema of the configuration, which the editor offers for completion and checks. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationJsonSchema } from '../src/config/json-schema.ts';
import { REGISTRY } from '../src/config/registry.ts';

const dist = join(import.meta.dirname, '..', 'dist');
await mkdir(dist, { recursive: true });
const schema = JSON.stringify(configurationJsonSchema(REGISTRY), null, 2);
await writeFile(join(dist, 'turnwise.config.schema.json'), `${schema}\n`);
