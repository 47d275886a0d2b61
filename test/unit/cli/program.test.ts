import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import { REPORT_WRITERS } from '../../../src/reports/index.ts';
import { RULES } from '../../../src/rules/index.ts';
import { VERSION } from '../../../src/version.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function turnwiseIn(cwd: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const host = fakeHost({ cwd });
  const code = await run(args, host);
  return { code, ...host.written };
}

const turnwise = (...args: string[]) => turnwiseIn('/', ...args);

describe('help', () => {
  it.each([
    [],
    ['eval'],
    ['watch'],
    ['formats'],
    ['metrics'],
    ['rules'],
    ['prompts'],
    ['pass-at-k'],
    ['init'],
    ['lsp'],
  ])('of `%s` is complete, with examples', async (...command) => {
    const { code, stdout } = await turnwise(...command, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Examples:\n  turnwise ');
    expect(stdout).toContain('Usage: turnwise');
  });

  it('names every option of the contract that this version has', async () => {
    const { stdout } = await turnwise('eval', '--help');
    const options =
      'metrics judge judge-url embedder embedder-url tools context session turn sample threshold fail-on questions-per-call concurrency timeout max-calls dry-run k correct-by agent-version config input-format format out report quiet verbose no-cache';
    for (const option of options.split(' ')) expect(stdout).toContain(`--${option} `);
  });

  it('fits its columns', async () => {
    const { stdout } = await turnwise('eval', '--help');
    const [beforeExamples = ''] = stdout.split('Examples:');
    for (const line of beforeExamples.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('prints the version', async () => {
    expect(await turnwise('--version')).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });
});

describe('usage errors', () => {
  it.each<[string[], string]>([
    [['evl', 'a.json'], 'Did you mean eval?'],
    [['eval'], 'Name the files or folders to evaluate.'],
    [['watch'], 'Name the files or folders to watch.'],
    [['lsp'], 'configure it to run `turnwise lsp --stdio`'],
    [['lsp', '--stdio', '--clientProcessId', 'x'], 'whole number, 1 or more'],
    [['metrics', 'lop_detection'], 'Did you mean "loop_detection"?'],
    [['rules', 'unkown-tool'], 'Did you mean "unknown-tool"?'],
    [['formats', '--convert'], '--convert requires a file'],
    [['formats', 'a.json', '--out', 'b.json'], '--out requires --convert.'],
    [['formats', 'a.json', '--convert', '--out', './a.json'], 'would replace ./a.json, which is an input.'],
    [['pass-at-k', '--n', '3', '--c', '2'], "required option '--k <k>' not specified"],
    [['pass-at-k', '--n', '3', '--c', '4', '--k', '1'], 'c is 4 of n = 3'],
    [['pass-at-k', '--n', '3', '--c', '2', '--k', '5', '--estimator', 'unbiased'], 'needs k <= n'],
    [['pass-at-k', '--n', '3', '--c', '2', '--k', '2', '--ci', '95'], 'between 0 and 1'],
  ])('%j', async (args, sentence) => {
    expect(await turnwise(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) });
  });
});

describe('options of eval', () => {
  it.each<[string[], string]>([
    [
      ['--metrics', 'lop_detection'],
      '--metrics lop_detection: Unknown metric "lop_detection". Did you mean "loop_detection"?',
    ],
    [['--threshold', 'loop_detection=85'], '--threshold loop_detection=85: '],
    [['--threshold', 'coherence=3.5'], 'conversation_coherence'],
    [['--threshold', 'loop_detection'], 'write METRIC=VALUE'],
    [['--metrics', 'agentic'], 'The metric agentic needs k'],
    [['--fail-on', 'hgh'], '--fail-on'],
    [['--turn', '0'], 'whole number, 1 or more'],
    [['--formt', 'json'], 'Did you mean --format?'],
    [['--format', 'jsn'], 'Did you mean "json"?'],
    [['--judge', 'rule'], 'Did you mean "rules"?'],
    [
      ['--format', 'xml'],
      `--format xml: there is no report "xml". Reports: ${REPORT_WRITERS.map(({ name }) => name).join(', ')}, agentest.`,
    ],
    [['--judge', 'openai'], '--judge openai: judge.provider is "openai", which needs the name of a model'],
    [['--judge', ''], '--judge has an empty value; write --judge <judge>.'],
    [['--session', ''], '--session has an empty value; write --session <id>.'],
    [['--threshold', 'coherence=0.5', '--threshold', ''], '--threshold has an empty value'],
    [['--judge', 'ollama:qwen3\u200b:8b'], 'judge.model contains the invisible character U+200B; type the name again.'],
    [['--judge', 'ollama: qwen3:8b'], 'judge.model begins or ends with a space; type the name again.'],
    [['--embedder', 'ollama:nomic\u0007'], 'embedder.model contains the invisible character U+0007'],
    [['--judge', 'editor'], '--judge editor: judge.provider is "editor", which needs the name of a model'],
    [
      ['--judge', 'editor:copilot/gpt-4o'],
      "--judge editor:copilot/gpt-4o cannot be used here. The editor's own models answer only in VS Code",
    ],
    [['--judge', 'function'], '--judge function: judge.provider is "function", but "ask" is missing'],
    [['--judge', 'gpt-5-mini'], '--judge gpt-5-mini: judge.provider is "gpt-5-mini"; it must be one of'],
    [['--embedder', 'ollama:'], '--embedder ollama:: embedder.provider is "ollama", which needs the name of a model'],
    [
      ['--judge-url', 'http://localhost'],
      '--judge-url: judge.baseUrl is set, but judge.provider is "rules" by default',
    ],
    [['--judge', 'openai:m', '--judge-url', 'localhost:1'], '--judge-url: judge.baseUrl must be an http or https URL'],
    [['--judge', 'openai:m', '--judge-url', 'http://a:b@c'], '--judge-url: judge.baseUrl has a user name or password'],
    [['--questions-per-call', '0'], 'whole number, 1 or more'],
    [['--max-calls', 'many'], 'whole number, 1 or more'],
    [['--judge', 'openai:gpt-5-mini'], 'api.openai.com requires an API key: set OPENAI_API_KEY'],
    [['--embedder', 'openai:text-embedding-3-small'], 'set OPENAI_API_KEY in the environment'],
  ])('with invalid values are reported, and nothing is evaluated: %j', async (args, sentence) => {
    expect(await turnwise('eval', 'a.json', ...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
  });
});

describe('metrics', () => {
  it('lists every metric', async () => {
    const { code, stdout } = await turnwise('metrics');
    expect(code).toBe(0);
    for (const { name } of METRICS) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
  });

  it('has a page for each, also by its alias', async () => {
    for (const { name, question, usesJudge: judged } of METRICS) {
      const { code, stdout } = await turnwise('metrics', name);
      expect(code).toBe(0);
      expect(stdout).toContain(`${name}\n  ${question}\n`);
      expect(stdout).toContain(` docs/metrics/${name}.md\n`);
      expect(stdout.includes(`turnwise prompts --metric ${name}`)).toBe(judged ?? false);
    }
    expect((await turnwise('metrics', 'tool_call_count_v1')).stdout).toContain('tool_call_count\n');
  });

  it('says what options there are', async () => {
    expect((await turnwise('metrics', 'agentic')).stdout).toContain(
      '"plug-in" | "frequentist" | "unbiased" | "bayesian", default "plug-in"',
    );
  });
});

describe('pass-at-k', () => {
  it('answers a program', async () => {
    const { stdout } = await turnwise('pass-at-k', '--n', '4', '--c', '2', '--k', '2', '--format', 'json');
    expect(JSON.parse(stdout)).toEqual({
      estimator: 'unbiased',
      n: 4,
      c: 2,
      k: 2,
      passAtK: expect.closeTo(5 / 6, 12),
      passAtKCi: null,
      passPowK: expect.closeTo(1 / 6, 12),
      passPowKCi: null,
      assessment: 'mixed',
    });
  });

  it('gives intervals with the Bayesian estimator', async () => {
    const { stdout } = await turnwise(
      'pass-at-k',
      '--n',
      '4',
      '--c',
      '2',
      '--k',
      '2',
      '--estimator',
      'bayesian',
      '--format',
      'json',
    );
    const { passAtKCi, passPowKCi } = JSON.parse(stdout);
    expect(passAtKCi[0]).toBeLessThan(passAtKCi[1]);
    expect(passPowKCi[0]).toBeLessThan(passPowKCi[1]);
  });

  it('answers a person', async () => {
    const { stdout } = await turnwise('pass-at-k', '--n', '4', '--c', '2', '--k', '2');
    expect(stdout).toMatch(/^pass@2 {2}0\.8333 {2}95% 0\.\d{4} to 0\.\d{4} {2}at least one of 2 attempts is correct$/m);
    expect(stdout).toContain('2 of 4 correct, unbiased estimator');
  });
});

describe('init', () => {
  it('writes a configuration that is accepted, once', async () => {
    await using folder = await temporaryFolder();
    expect(await turnwiseIn(folder.path, 'init')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Created turnwise.config.yaml'),
    });
    const loaded = await loadConfiguration({ cwd: folder.path, registry: REGISTRY });
    expect(loaded).toMatchObject({ file: 'turnwise.config.yaml', problems: [] });
    expect(await turnwiseIn(folder.path, 'init')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force replaces it'),
    });
  });

  it('replaces an existing file only with --force', async () => {
    await using folder = await temporaryFolder({ 'turnwise.config.yaml': 'mine' });
    await turnwiseIn(folder.path, 'init');
    expect(await readFile(join(folder.path, 'turnwise.config.yaml'), 'utf8')).toBe('mine');
    await turnwiseIn(folder.path, 'init', '--force');
    expect(await readFile(join(folder.path, 'turnwise.config.yaml'), 'utf8')).toContain('# Configuration of Turnwise');
  });

  it('does not put a second configuration beside one', async () => {
    await using folder = await temporaryFolder({ 'turnwise.config.ts': 'export default {};' });
    expect(await turnwiseIn(folder.path, 'init', '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('turnwise.config.ts already exists'),
    });
  });
});

describe('rules', () => {
  it('lists every rule with its level', async () => {
    const { code, stdout } = await turnwise('rules');
    expect(code).toBe(0);
    for (const { id, severity, title } of RULES)
      expect(stdout).toMatch(new RegExp(`^${id} +${severity} +${title}$`, 'm'));
  });

  it('shows the page of a renamed rule under its former id', async () => {
    expect((await turnwise('rules', 'stated-amount')).stdout).toBe((await turnwise('rules', 'amount-stated')).stdout);
  });

  it('has a page for each, which says how it looks, where it is silent and what to do', async () => {
    for (const { id, proves, page } of RULES) {
      const { code, stdout } = await turnwise('rules', id);
      expect(code).toBe(0);
      const words = stdout.replace(/\s+/g, ' ');
      for (const text of [proves, page.how, page.silent, page.remedy]) {
        expect(text.length, id).toBeGreaterThan(20);
        expect(words, id).toContain(text.replace(/\s+/g, ' '));
      }
    }
  });
});
