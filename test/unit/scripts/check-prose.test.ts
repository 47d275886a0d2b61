import { describe, expect, it } from 'vitest';
import { checkPage, checkSource } from '../../../scripts/check-prose.ts';
import { parseText } from '../../../scripts/source-files.ts';

const found = (path: string, text: string) =>
  checkSource(parseText(path, text)).map(({ line, phrase }) => `${line}: ${phrase}`);

describe('checkSource', () => {
  it('reports phrases in strings, templates and comments, with their lines', () => {
    const text = [
      '// Mend this.',
      "const a = 'who' + 'ever';",
      "const b = 'whoever asks';",
      `const c = \`\${a} anew \${b}\`;`,
      '/** What is held for whomever. */',
      'export const d = [a, b, c];',
    ].join('\n');
    expect(found('src/a.ts', text)).toEqual(['1: Mend', '3: whoever', '4: anew', '5: whomever']);
  });

  it('reports phrases in the text of JSX', () => {
    expect(found('webview/a.tsx', 'const a = <p>Evaluate it anew</p>;')).toEqual(['1: anew']);
  });

  it('ignores names, imports and the statistical term', () => {
    expect(found('src/a.ts', "import './held.ts';\nconst held = 'held-out tasks';\nexport { held };")).toEqual([]);
  });

  it('reads titles in tests and ignores their data', () => {
    const text =
      "it('is told anew', () => {\n  expect('held').toBe(`held`);\n});\nit.each([['held']])('is held: %s', () => {});";
    expect(found('test/unit/a.test.ts', text)).toEqual(['1: anew', '4: held']);
  });

  it('leaves texts alone that are sent to a judge', () => {
    expect(found('src/judge/prompting/a.ts', "export const a = 'held';")).toEqual([]);
    const question =
      "export const a = { instructions: 'whoever', answer: z.string().describe('anew'), reason: 'held' };";
    expect(found('src/metrics/turn/a.ts', question)).toEqual(['1: held']);
    expect(found('src/rules/a.ts', "export const a = { message: 'of which' };")).toEqual([]);
    expect(found('src/server/a.ts', "export const a = { message: 'of which' };")).toEqual(['1: of which']);
  });
});

describe('checkPage', () => {
  it('reports phrases in prose and ignores code', () => {
    const page = 'Fine.\n\n```sh\n# anew\n```\n\n`held` is a key.\nIt is\nheld.\n';
    expect(checkPage('docs/a.md', page).map(({ line, phrase }) => `${line}: ${phrase}`)).toEqual(['9: held']);
  });
});
