import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import manifestJson from '../../../package.json' with { type: 'json' };
import { shippedFiles } from '../../../scripts/shipped-files.ts';
import { turnwise as turnwiseFormat } from '../../../src/formats/turnwise.ts';
import { sessionFileJsonSchema } from '../../../src/formats/turnwise-json-schema.ts';
import { turnwise } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FILE = 'snippets/turnwise.code-snippets';

const snippet = z.strictObject({
  scope: z.string().regex(/^[a-z]+(,[a-z]+)*$/),
  prefix: z.string().startsWith('turnwise-'),
  description: z.string().min(1),
  body: z.array(z.string()).min(1),
});
const SNIPPETS = z.record(z.string(), snippet).parse(JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')));

/** A snippet as VS Code inserts it, with the default or the first choice of each placeholder. */
function inserted(name: string): string {
  const text = (SNIPPETS[name]?.body ?? []).map((line) => `${line}\n`).join('');
  const filled = text
    .replaceAll(/\$\{\d+\|([^,|]+)[^|]*\|\}/g, '$1')
    .replaceAll(/\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll('\\$', '$');
  expect(filled, 'a placeholder without a default').not.toMatch(/\$\{?\d/);
  return filled;
}

describe('the snippets', () => {
  it('are those of the manifest, and are packaged', async () => {
    expect(manifestJson.contributes.snippets).toEqual([{ path: `./${FILE}` }]);
    expect(await shippedFiles(ROOT)).toContain(FILE);
  });

  it('have one prefix for each language', () => {
    const prefixes = Object.values(SNIPPETS).flatMap(({ scope, prefix }) =>
      scope.split(',').map((language) => `${language} ${prefix}`),
    );
    expect(prefixes).toEqual([...new Set(prefixes)]);
  });

  it('write a session file that is read and valid as it is', () => {
    const value: unknown = JSON.parse(inserted('Session File'));
    const { sessions, problems } = turnwiseFormat.read({ file: 'a.session.json', value, lines: false });
    expect(problems).toEqual([]);
    expect(sessions).toMatchObject([{ id: 'refund-1', turns: [{ steps: [{ name: 'refund_order', outcome: 'ok' }] }] }]);
    expect(new Validator(sessionFileJsonSchema(), '7').validate(value).errors).toEqual([]);
  });

  it.each([
    ['Scenario (JSON)', 'refund.scenario.json', 'turnwise.config.ts'],
    ['Scenario (YAML)', 'refund.scenario.yaml', 'turnwise.config.mjs'],
    ['Scenario (Code)', 'refund.sim.ts', 'turnwise.config.ts'],
    ['Scenario (Code)', 'refund.sim.js', 'turnwise.config.mjs'],
  ])('write a %s as %s and a configuration as %s that are listed as they are', async (name, file, configuration) => {
    const files = { [file]: inserted(name), [configuration]: inserted('Configuration (Code)') };
    await using folder = await temporaryFolder(files);
    const env = { TURNWISE_HOME: join(folder.path, 'home') };
    const listed = await turnwise(['scenarios'], { cwd: folder.path, env });
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toContain('refund a delivered order  1 turn · agent support');
  });
});
