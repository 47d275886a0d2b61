import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorLocation } from '../../../src/sandbox/error-location.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Loader, loadInChild } from './load-in-child.ts';

type Files = Readonly<Record<string, string>>;

/** Loads the first file. */
async function load(files: Files, loader: Loader) {
  await using folder = await temporaryFolder(files);
  const [entry = ''] = Object.keys(files);
  const file = join(folder.path, entry);
  const { reply, printed } = await loadInChild(file, loader);
  const location = reply?.kind === 'threw' ? errorLocation(file, reply) : null;
  const read = (name: string) =>
    existsSync(join(folder.path, name)) ? readFileSync(join(folder.path, name), 'utf8') : '';
  return { reply, printed, location, ran: read('ran') };
}

/** The default export, and the digest of the sources. */
async function loadValue(files: Files, loader: Loader) {
  const { reply, printed } = await load(files, loader);
  if (reply?.kind !== 'value') return { reply, printed };
  return { value: JSON.parse(reply.json), digest: reply.digest, printed };
}

const COMMON_TYPES = 'export interface Price { cents: number }\nexport const free: Price = { cents: 0 };\n';

describe('a configuration that is code', () => {
  it.each<[form: string, value: unknown, files: Files]>([
    ['with types', 1, { 'a.ts': 'const x: number = 1;\nexport default x as number;' }],
    ['of ECMAScript', [1], { 'a.mjs': '#!/usr/bin/env node\nexport default [1];' }],
    [
      'that imports without extensions, as JavaScript, and a folder',
      [1, 2, 3],
      {
        'a.ts':
          "import { a } from './one'; import { b } from './two.js'; import { c } from './three';\nexport default [a, b, c];",
        'one.ts': 'export const a: number = 1;',
        'two.ts': 'export const b = 2 as number;',
        'three/index.ts': 'export const c: number = 3;',
      },
    ],
    [
      'whose imports are partly types',
      { cents: 0 },
      {
        'a.ts':
          "import { Price, free } from './prices';\nimport { Gone } from './gone';\nconst price: Price | Gone = free;\nexport default price;",
        'prices.ts': COMMON_TYPES,
      },
    ],
    [
      'with enums, namespaces and properties among parameters',
      ['x', 4, 1, 5],
      {
        'a.ts': `enum A { B = 'x' }
const enum C { D = 4 }
namespace N { export const a = 1 }
class P { constructor(readonly x = 5) {} }
export default [A.B, C.D, N.a, new P().x];`,
      },
    ],
    ['with types in angle brackets', 1, { 'a.ts': 'export default <number>(1 as unknown);' }],
    [
      'that imports JSON, and names in it',
      [{ a: 1 }, 1],
      { 'a.ts': "import all, { a } from './b.json';\nexport default [all, a];", 'b.json': '{ "a": 1 }' },
    ],
    [
      'that imports JSON as the standard says',
      { a: 1 },
      { 'a.ts': "import all from './b.json' with { type: 'json' };\nexport default all;", 'b.json': '{ "a": 1 }' },
    ],
    [
      'that uses what CommonJS has',
      ['/', 'string', 'string', 2],
      {
        'a.ts':
          "import { posix } from 'node:path';\nconst { b } = require('./b');\nexport default [posix.sep, typeof __dirname, typeof __filename, b];",
        'b.ts': 'export const b: number = 2;',
      },
    ],
    [
      'that declares such names itself',
      ['string', { a: 1 }],
      {
        'a.ts': `import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
const __dirname = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
export default [typeof __dirname, require('./b.json')];`,
        'b.json': '{ "a": 1 }',
      },
    ],
    [
      'that asks where it is',
      ['a.ts', 'a.ts', true],
      {
        'a.ts': `import { basename } from 'node:path';
export default [basename(import.meta.filename), basename(import.meta.url), import.meta.env.PATH === process.env.PATH];`,
      },
    ],
    ['that awaits', 3, { 'a.ts': 'const x = await Promise.resolve(3);\nexport default x;' }],
    ['that promises', { a: 1 }, { 'a.ts': 'export default Promise.resolve({ a: 1 });' }],
    [
      'that imports later',
      2,
      { 'a.ts': "const { b } = await import('./b');\nexport default b;", 'b.ts': 'export const b: number = 2;' },
    ],
    ['compiled to CommonJS', { a: 1 }, { 'a.js': 'exports.__esModule = true;\nexports.default = { a: 1 };' }],
    [
      'that requires as TypeScript does',
      '/',
      { 'a.ts': "import path = require('node:path');\nexport default path.posix.sep;" },
    ],
    [
      'that imports names of CommonJS in TypeScript',
      [1, 2],
      {
        'a.ts': "import { a, b } from './b';\nexport default [a, b];",
        'b.ts': 'const a: number = 1;\nmodule.exports = { a, b: 2 };',
      },
    ],
    [
      'that loads a module twice',
      1,
      {
        'a.ts': "import './b';\nimport './c';\nexport default globalThis.loaded;",
        'b.ts': "import './d';",
        'c.ts': "import './d';",
        'd.ts': 'globalThis.loaded = (globalThis.loaded ?? 0) + 1;',
      },
    ],
    [
      'in a package of another type',
      1,
      { 'a.ts': 'export default 1 as number;', 'package.json': '{ "type": "commonjs" }' },
    ],
    [
      'that imports packages: of CommonJS, a file of one, ECMAScript, and TypeScript',
      [7, 4, 2, 3],
      {
        'a.ts':
          "import b from 'b'; import get from 'b/get'; import { c } from 'c'; import { d } from 'd';\nexport default [b(), get, c, d];",
        'node_modules/b/package.json': '{ "name": "b" }',
        'node_modules/b/index.js': 'module.exports = () => 7;',
        'node_modules/b/get.js': 'module.exports = 4;',
        'node_modules/c/package.json': '{ "name": "c", "type": "module", "exports": "./c.js" }',
        'node_modules/c/c.js': 'export const c = 2;',
        'node_modules/d/package.json': '{ "name": "d", "main": "d.ts" }',
        'node_modules/d/d.ts': 'export const d: number = 3;',
      },
    ],
    [
      'that imports what Turnwise offers',
      ['function', 'function'],
      {
        'a.ts':
          "import { type Configuration, defineConfig } from 'turnwise';\nimport * as agentest from 'agentest';\nexport default [typeof defineConfig, typeof agentest.defineConfig];",
      },
    ],
  ])('is the same for both loaders: %s', async (_, value, files) => {
    const [byNode, byCompiler] = await Promise.all([loadValue(files, 'Node'), loadValue(files, 'compiler')]);
    expect(byNode).toEqual({ value, digest: expect.stringMatching(/^[\da-f]{32}$/), printed: '' });
    expect(byCompiler).toEqual(byNode);
  });

  const DECORATED = {
    'a.ts': 'const mark = (type: any) => { type.x = 1; };\n@mark class A { static x: number }\nexport default A.x;',
  };

  it('with a decorator is compiled, and in the extension told so', async () => {
    const compiled = await loadValue(DECORATED, 'compiler');
    expect(compiled).toMatchObject({ value: 1 });
    expect(await loadValue(DECORATED, 'both')).toEqual(compiled);
    const { reply, location } = await load(DECORATED, 'Node');
    const message = 'a.ts:2 has a decorator. Write it without, or run `npx turnwise` in a terminal.';
    expect(reply).toMatchObject({ kind: 'threw', message });
    expect(location).toEqual({ line: 2, column: 1 });
  });

  it('with an enum is compiled where Node only removes types, and in the extension told so', async () => {
    const files = { 'a.ts': 'const a: number = 1;\nenum A { B = a }\nexport default A.B;' };
    expect(await loadValue(files, 'both, Node.js 26')).toEqual(await loadValue(files, 'compiler'));
    const { reply, location } = await load(files, 'Node.js 26');
    const message =
      /^a\.ts:2 has code that Node\.js [\d.]+ does not run \(TypeScript enum is not supported.*\)\. Write it without/;
    expect(reply).toMatchObject({ kind: 'threw', message: expect.stringMatching(message) });
    expect(location).toEqual({ line: 2, column: 1 });
  });

  it('that exports types of another file as values is told so', async () => {
    const files = { 'a.ts': "export { Price } from './prices';\nexport default 1;", 'prices.ts': COMMON_TYPES };
    const { reply, location } = await load(files, 'Node');
    const message =
      "The requested module './prices' does not provide an export named 'Price'. Is it a type? Then write `import type` or `export type`";
    expect(reply).toMatchObject({ kind: 'threw', message });
    expect(location).toMatchObject({ line: 1 });
    expect(await loadValue(files, 'both')).toMatchObject({ value: 1 });
  });

  it.each([
    ['in CommonJS', { 'a.js': 'module.exports = { a: 1 };' }],
    ['in CommonJS with types', { 'a.cts': 'const a: number = 1;\nmodule.exports = { a };' }],
    ['and no exports', { 'a.ts': 'const a: number = 1;' }],
  ])('without a default export is told so: %s', async (_, files) => {
    for (const loader of ['Node', 'compiler'] as const) {
      expect((await load(files, loader)).reply).toEqual({ kind: 'no-default' });
    }
  });

  it.each<[what: string, line: number, files: Files]>([
    ['an error', 3, { 'a.ts': "const a: number = 1;\n\nthrow new Error('no luck');" }],
    [
      'an error, after code that becomes other lines',
      5,
      { 'a.ts': "enum A { B, C, D }\ninterface X {\n  a: string;\n}\nthrow new Error('no luck');\nexport default A;" },
    ],
    ['an error, in a path with a space', 2, { 'my files/a.ts': "export default 1;\nthrow new Error('no luck');" }],
    ['wrong TypeScript', 2, { 'a.ts': 'const a: number = 1;\nexport default (a {});' }],
    ['wrong JavaScript', 2, { 'a.mjs': 'const a = 1;\nexport default (a {});' }],
  ])('has its line in both loaders: %s', async (_, line, files) => {
    for (const loader of ['Node', 'compiler'] as const) {
      expect((await load(files, loader)).location).toMatchObject({ line });
    }
  });

  it('names the file that cannot be parsed, where it is another one', async () => {
    const files = { 'a.ts': "import './b';\nexport default 1;", 'b.ts': '\nconst b: = 1;' };
    const { reply } = await load(files, 'both');
    expect(reply).toMatchObject({ kind: 'threw', message: expect.stringMatching(/^b\.ts:2: Unexpected token/) });
  });

  it('names what it imports as it is written, where that is not there', async () => {
    const { reply } = await load({ 'a.ts': "import { b } from './b';\nexport default b;" }, 'both');
    expect(reply).toMatchObject({ kind: 'threw', message: expect.stringMatching(/^Cannot find module '.\/b'\n/) });
  });

  const RAN = "import { appendFileSync } from 'node:fs';\nappendFileSync(new URL('ran', import.meta.url), 'x');\n";

  it.each<[what: string, message: RegExp, files: Files]>([
    ['its own error of syntax', /JSON/, { 'a.ts': `${RAN}JSON.parse('{');` }],
    [
      'code that is imported later and needs a compiler',
      /^b\.ts:2 has a decorator\. Write it without, or run `npx turnwise` in a terminal\.$/,
      {
        'a.ts': `${RAN}await import('./b');\nexport default 1;`,
        'b.ts': 'const mark = () => {};\n@mark class B {}',
      },
    ],
  ])('never runs twice: %s', async (_, message, files) => {
    const { reply, ran } = await load(files, 'both');
    expect(reply).toMatchObject({ kind: 'threw', message: expect.stringMatching(message) });
    expect(ran).toBe('x');
  });
});
