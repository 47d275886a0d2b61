import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../scripts/new.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What the generators and the new tests read. */
const COPIED = [
  ...['src', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'biome.json', 'vitest.config.ts', 'test/support'],
  ...['test/bench', 'test/unit/docs.test.ts', 'test/unit/rules/session-builder.ts', 'test/unit/metrics/views.ts'],
];

/** A copy of the repository, as far as the generators need it. */
async function scratchCopy() {
  const folder = await temporaryFolder();
  for (const path of COPIED) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder.path, path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  return folder;
}

interface VitestResult {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

async function runTests(cwd: string): Promise<VitestResult> {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const options = ['--reporter=json', '--outputFile=results.json', '--pool=threads', '--no-isolate'];
  // It exits with 1, since tests fail.
  await promisify(execFile)(process.execPath, [vitest, 'run', ...options], { cwd }).catch(() => null);
  return JSON.parse(await readFile(join(cwd, 'results.json'), 'utf8'));
}

describe('generate', () => {
  it('writes a rule, a metric and a format with their rows and pages, and tests that fail', async () => {
    await using folder = await scratchCopy();
    expect(await generate(folder.path, 'rule', 'late-answer')).toEqual([
      'src/rules/structure/late-answer.ts',
      'test/unit/rules/structure/late-answer.test.ts',
      'src/rules/index.ts',
    ]);
    expect(await generate(folder.path, 'metric', 'answer_length')).toEqual([
      'src/metrics/turn/answer-length.ts',
      'test/unit/metrics/turn/answer-length.test.ts',
      'docs/metrics/answer_length.md',
      'src/metrics/index.ts',
    ]);
    expect(await generate(folder.path, 'format', 'acme-log')).toEqual([
      'src/formats/acme-log.ts',
      'test/unit/formats/acme-log.test.ts',
      'src/formats/index.ts',
      'docs/formats.md',
    ]);
    const read = (path: string) => readFile(join(folder.path, path), 'utf8');
    expect(await read('docs/rules/late-answer.md')).toContain('# Late answer');
    expect(await read('docs/metrics/answer_length.md')).toContain('# answer_length');
    expect(await read('docs/formats.md')).toMatch(/\n\| `acme-log` \|.*\n\n/);
    expect(await read('src/formats/index.ts')).toContain('  acmeLog,\n  openAiChat,\n];');

    const { testResults } = await runTests(folder.path);
    const titles = (status: string) =>
      testResults.flatMap(({ assertionResults }) =>
        assertionResults.flatMap((assertionResult) =>
          assertionResult.status === status ? [assertionResult.title] : [],
        ),
      );
    expect(titles('failed').sort()).toEqual([
      'reads the session of a file',
      'reports what it looks for',
      'scores a turn',
    ]);
    expect(titles('passed')).toContain('is detected');
    // The pages of rules and metrics are complete.
    expect(titles('passed').length).toBeGreaterThan(4);
  });

  it.each([
    ['judge', 'mine', 'There is no generator "judge". Generators: rule, metric, format.'],
    ['rule', 'Late_Answer', '"Late_Answer" is not a name of a rule: write kebab-case'],
    ['metric', 'answer-length', '"answer-length" is not a name of a metric: write snake_case'],
    ['rule', 'no-answer', 'src/rules/structure/no-answer.ts exists already.'],
  ])('rejects %s %s', async (kind, name, message) => {
    await expect(generate(ROOT, kind, name)).rejects.toThrow(message);
  });
});
