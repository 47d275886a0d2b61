import { describe, expect, it } from 'vitest';
import { commonJsExports, moduleNames, removeUnusedImports } from '../../../src/sandbox/module-syntax.ts';

describe('imports that the code does not use', () => {
  it.each([
    ["import { A, b } from 'x';\nb();", "import { b } from 'x';\nb();"],
    ["import { A } from 'x';\n1;", ';\n1;'],
    ["import {\n  A,\n  b as c,\n} from 'x';\nc();", "import { b as c } \n\n\nfrom 'x';\nc();"],
    ["import A, { b } from 'x';\nb();", "import { b } from 'x';\nb();"],
    ["import a, * as B from 'x';\na();", "import a from 'x';\na();"],
    ["import * as A from 'x';\nb.A();", ';\nb.A();'],
    ["import { 'a b' as c, D } from 'x';\nc();", "import { 'a b' as c } from 'x';\nc();"],
    ["import {        } from 'x';", ';'],
  ])('are removed, and lines stay: %j', (code, expected) => {
    expect(removeUnusedImports(code)).toBe(expected);
  });

  it.each([
    "import 'x';",
    "import { a } from 'x';\n`$" + '{a}`;',
    "import { a } from 'x';\nexport { a };",
    "import a from 'x' with { type: 'json' };",
    "const text = `\nimport { a } from 'x';\n`;",
    "// import { a } from 'x'\nimport('x'); import.meta.url; b.import;",
  ])('are left where they do something, or are none: %j', (code) => {
    expect(removeUnusedImports(code)).toBe(code);
  });
});

it.each([
  ['exports.a = 1; module.exports.b = 2; other.c = 3; exports.d;', ['a', 'b']],
  ["Object.defineProperty(exports, 'a', { get: () => 1 });", ['a']],
  ["module.exports = { a, b: { c: [1, 2] }, 'd-e': f(1, 2), g() {}, ...rest };", ['a', 'b', 'd-e', 'g']],
  ['module.exports = () => ({ a: 1 });', []],
])('finds the names that CommonJS exports: %s', (code, names) => {
  expect([...commonJsExports(code)]).toEqual(names);
});

describe('of the names that a module uses', () => {
  it.each([
    'const x = 1;',
    'let { a: x } = b;',
    'const { a = 1, x } = b;',
    'var [a, ...x] = b;',
    "import x from 'a';",
    "import a, { b as x } from 'a';",
    "import * as x from 'a';",
    'function* x() {}',
    'if (a) { class x {} }',
    'const { a = { b: [] }, c: { x } } = d;',
    'const a = f(b, c), x = a;',
    'let a = 1, { x } = b, c = 2',
    'const a = [1, 2], b = 3, x = 4;',
  ])('x is declared: %s', (code) => {
    expect(moduleNames(code).declared).toContain('x');
  });

  it.each([
    'x();',
    'const a = x;',
    'const { a = x } = b;',
    'let a = [x], b = { a: x };',
    'const a = 1\nexport default [b, x]',
    'const a = f(b, x = 1);',
    'const a = async () => { const b = 1; }; x();',
    "import('a'); f(b, x);",
    "import 'a'\nf(b, x)",
    'let a\nf(b, x)',
    'import.meta.a; x;',
    'function a(b) { return { x }; }',
    'class A extends x {}',
    '`$' + '{x}`;',
  ])('x is not declared: %s', (code) => {
    expect([...moduleNames(code).used]).toContain('x');
    expect([...moduleNames(code).declared]).not.toContain('x');
  });

  it('properties, texts and comments are none', () => {
    expect([...moduleNames("a.x; a?.x; 'x'; // x").used]).toEqual(['a']);
  });
});
