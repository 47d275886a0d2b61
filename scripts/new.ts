/**
 * `npm run new:rule -- NAME`, `new:metric`, `new:format`: writes the file, its row in the table, its page and a test that fails
 * until the new part does something.
 */
import { execFileSync } from 'node:child_process';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface Template {
  /** Regular expression of a name, and how to say it. */
  readonly pattern: RegExp;
  readonly spelling: string;
  /** The new files, by path. */
  files(name: string): Readonly<Record<string, string>>;
  readonly table: { readonly file: string; readonly constant: string; readonly row: 'last' | 'before last' };
  /** Path of the new module, as the table imports it. */
  module(name: string): string;
  /** A row of a table in the documentation, if the page is not generated. */
  readonly page?: { readonly file: string; row(name: string): string };
}

const KEBAB_CASE = { pattern: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, spelling: 'kebab-case, such as late-answer' };

const TEMPLATES: Readonly<Record<string, Template>> = {
  rule: {
    ...KEBAB_CASE,
    table: { file: 'src/rules/index.ts', constant: 'RULES', row: 'last' },
    module: (name) => `./structure/${name}.ts`,
    files: (name) => ({
      [`src/rules/structure/${name}.ts`]: ruleFile(name),
      [`test/unit/rules/structure/${name}.test.ts`]: ruleTest(name),
    }),
  },
  metric: {
    pattern: /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/,
    spelling: 'snake_case, such as answer_length',
    table: { file: 'src/metrics/index.ts', constant: 'METRICS', row: 'last' },
    module: (name) => `./turn/${kebab(name)}.ts`,
    files: (name) => ({
      [`src/metrics/turn/${kebab(name)}.ts`]: metricFile(name),
      [`test/unit/metrics/turn/${kebab(name)}.test.ts`]: metricTest(name),
      [`docs/metrics/${name}.md`]: metricPage(),
    }),
  },
  format: {
    ...KEBAB_CASE,
    // The last format is the most permissive and must stay last.
    table: { file: 'src/formats/index.ts', constant: 'FORMATS', row: 'before last' },
    module: (name) => `./${name}.ts`,
    files: (name) => ({
      [`src/formats/${name}.ts`]: formatFile(name),
      [`test/unit/formats/${name}.test.ts`]: formatTest(name),
    }),
    page: {
      file: 'docs/formats.md',
      row: (name) => `| \`${name}\` | where such a file comes from | what it does not contain |`,
    },
  },
};

/** Writes the files of a new rule, metric or format. @returns their paths. @throws Error with a sentence. */
export async function generate(root: string, kind: string, name: string): Promise<string[]> {
  const template = TEMPLATES[kind];
  if (!template) throw new Error(`There is no generator "${kind}". Generators: ${Object.keys(TEMPLATES).join(', ')}.`);
  if (!template.pattern.test(name))
    throw new Error(`"${name}" is not a name of a ${kind}: write ${template.spelling}.`);
  const files = template.files(name);
  for (const path of Object.keys(files)) {
    const exists = await access(join(root, path)).then(
      () => true,
      () => false,
    );
    if (exists) throw new Error(`${path} exists already.`);
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const { table, page } = template;
  await edit(join(root, table.file), (text) => withRow(text, table, template.module(name), camel(name)));
  if (page) await edit(join(root, page.file), (text) => withPageRow(text, page.row(name)));
  const written = [...Object.keys(files), table.file];
  const run = (...args: readonly string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' });
  const code = written.filter((path) => path.endsWith('.ts'));
  run(join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '--write', '--vcs-enabled=false', ...code);
  run('scripts/rule-pages.ts');
  run('scripts/metric-pages.ts');
  return page ? [...written, page.file] : written;
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, 'utf8')));
}

function withRow(text: string, { constant, row }: Template['table'], module: string, name: string): string {
  const start = text.indexOf(`export const ${constant}`);
  const end = text.indexOf('\n];', start);
  if (start < 0 || end < 0) throw new Error(`The table ${constant} was not found.`);
  const at = row === 'last' ? end : text.lastIndexOf('\n', end - 1);
  return `import { ${name} } from '${module}';\n${text.slice(0, at)}\n  ${name},${text.slice(at)}`;
}

/** Appends a row to the first table of a page. */
function withPageRow(text: string, row: string): string {
  const end = text.indexOf('\n\n', text.indexOf('\n|---'));
  return `${text.slice(0, end)}\n${row}${text.slice(end)}`;
}

function kebab(name: string): string {
  return name.replaceAll('_', '-');
}

function camel(name: string): string {
  return name.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `late-answer` as `Late answer`. */
function titled(name: string): string {
  const words = name.replace(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ruleFile(name: string): string {
  return `import type { Rule } from '../rule.ts';

/** An observation. For a problem, set severity and label, and move its row in the table up to rules of its severity. */
export const ${camel(name)}: Rule = {
  id: '${name}',
  title: '${titled(name)}',
  proves: 'What a finding proves, in one sentence.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Reports what the rule looks for.',
    silent: 'Ignores what the rule leaves alone on purpose, and what it cannot see.',
    remedy: 'What to do about a finding.',
  },
  check(view) {
    return view.session.turns.flatMap(() => []);
  },
};
`;
}

function ruleTest(name: string): string {
  return `import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import { onlyRule, session } from '../session-builder.ts';

describe('${name}', () => {
  it('reports what it looks for', () => {
    const trace = session([{ user: 'Hello.', agent: 'Hello, how can I help?' }]);
    const findings = collectFindings(trace, { settings: onlyRule('${name}') });
    expect(findings).toMatchObject([{ rule: '${name}', turn: 0 }]);
  });
});
`;
}

function metricFile(name: string): string {
  return `import type { MetricOutcome } from '../../core/result.ts';
import { turnMetric } from '../metric.ts';

export const ${camel(name)} = turnMetric({
  name: '${name}',
  question: 'What does the metric answer, as one question?',
  source: 'Turnwise',
  scale: 'unit',
  threshold: null,
  needs: [],
  evaluate({ turn }): MetricOutcome {
    return { status: 'not_applicable', reason: \`Nothing is measured in turn \${turn.id}.\` };
  },
});
`;
}

function metricTest(name: string): string {
  return `import { describe, expect, it } from 'vitest';
import { ${camel(name)} } from '../../../../src/metrics/turn/${kebab(name)}.ts';
import { sessionOf, turnView } from '../views.ts';

describe('${name}', () => {
  it('scores a turn', async () => {
    const session = sessionOf([{ input: 'Hello.', output: 'Hello, how can I help?' }]);
    const outcome = await ${camel(name)}.evaluate(turnView(session, 0), {});
    expect(outcome).toMatchObject({ status: 'scored', source: 'rules' });
  });
});
`;
}

function metricPage(): string {
  return `<!-- frame: written by \`npm run docs\` -->
<!-- /frame -->

## How it is scored

Say what is counted or asked, and give the formula of the score.

## What failing looks like

Give two or three turns with a low score, each with its reason.

## When it does not apply

Say when a turn is \`not_applicable\`, and when it is \`vacuous\`.

## Limitations

List the turns that get a score that a person would not give.

## Interpreting the result

Say what is in \`metadata\`, and what a reader does with the score.
`;
}

function formatFile(name: string): string {
  return `import { getString } from '../core/json.ts';
import type { Format } from './format.ts';

export const ${camel(name)}: Format = {
  name: '${name}',
  title: '${titled(name)}',
  description: 'What people who have such a file call it',
  detect: ({ value }) => (getString(value, 'format') === '${name}' ? 'an object with format "${name}"' : null),
  read: () => ({ sessions: [], problems: [] }),
};
`;
}

function formatTest(name: string): string {
  return `import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/core/document.ts';
import { ${camel(name)} } from '../../../src/formats/${name}.ts';
import { detect } from '../../../src/formats/index.ts';

const DOCUMENT: Document = { file: 'trace.json', value: { format: '${name}', messages: [] }, lines: false };

describe('${name}', () => {
  it('is detected', () => {
    expect(detect(DOCUMENT)?.format).toBe(${camel(name)});
  });

  it('reads the session of a file', async () => {
    const { sessions } = await ${camel(name)}.read(DOCUMENT);
    expect(sessions).toMatchObject([{ turns: [{ input: 'Hello.', output: 'Hello, how can I help?' }] }]);
  });
});
`;
}

if (import.meta.main) {
  const [kind = '', name = ''] = process.argv.slice(2);
  try {
    const paths = await generate(join(import.meta.dirname, '..'), kind, name);
    console.log(`Written or changed:\n${paths.map((path) => `  ${path}`).join('\n')}`);
    console.log('The new test fails. Make it pass, fill in the page, and run `npm run docs` and `npm run check`.');
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
