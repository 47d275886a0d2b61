import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { checkConfiguration } from '../../src/config/check.ts';
import { configurationJsonSchema } from '../../src/config/json-schema.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { REGISTRY } from '../../src/config/registry.ts';
import { get, getArray, getObject, isObject } from '../../src/core/json.ts';
import { checkScenario } from '../../src/scenarios/check-scenario.ts';
import { describeDataScenario, readDataScenarios } from '../../src/scenarios/data-scenarios.ts';
import { fakeHost } from '../support/fake-host.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const filesMatching = (patterns: string | string[]) => globSync(patterns, { cwd: ROOT });
const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```/gm;

interface Page {
  readonly name: string;
  readonly text: string;
  /** Without code blocks. */
  readonly prose: string;
  /** Between backticks in the prose. */
  readonly spans: readonly string[];
  readonly blocks: readonly { language: string; text: string }[];
}

let pages: readonly Page[] = [];

beforeAll(async () => {
  const names = filesMatching(['*.md', 'docs/**/*.md']);
  // The changelog names what older versions had.
  pages = await Promise.all(names.filter((name) => name !== 'CHANGELOG.md').map(readPage));
});

async function readPage(name: string): Promise<Page> {
  const text = await readFile(join(ROOT, name), 'utf8');
  const prose = text.replace(FENCE, '');
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const blocks = [...text.matchAll(FENCE)].map(([, , language = '', code = '']) => ({ language, text: code }));
  return { name, text, prose, spans, blocks };
}

/** What `namesOf` gives and `exists` denies, with its page. */
function missing<T>(namesOf: (page: Page) => readonly T[], exists: (name: T) => boolean): string[] {
  const found = pages.map((page) => ({ page, names: namesOf(page) }));
  expect(found.flatMap(({ names }) => names).length, 'names that were checked').toBeGreaterThan(0);
  return found.flatMap(({ page, names }) =>
    names.filter((name) => !exists(name)).map((name) => `${page.name}: ${JSON.stringify(name)}`),
  );
}

describe('links of pages', () => {
  it('lead to files and headings that exist', async () => {
    const broken: string[] = [];
    let checked = 0;
    for (const { name, prose } of pages) {
      for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        checked += 1;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? join(ROOT, name) : join(ROOT, dirname(name), path);
        if (!(await exists(file))) broken.push(`${name}: ${target}`);
        else if (anchor !== undefined && !headings(await readFile(file, 'utf8')).has(anchor))
          broken.push(`${name}: ${target}`);
      }
    }
    expect(checked).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });
});

/** As GitHub and VS Code name them. */
function headings(text: string): Set<string> {
  const lines = text.replace(FENCE, '').match(/^#+ .*$/gm) ?? [];
  return new Set(
    lines.map((line) =>
      line
        .replace(/^#+ /, '')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

describe('the repository in pages', () => {
  const FOLDERS = /^(src|test|docs|scripts|webview|samples|media|l10n)\//;
  /** What `scripts/new.ts` would create in the examples of CONTRIBUTING.md, and files that a command writes. */
  const CREATED = /\/(NAME|answer-length|answer_length|late-answer)\b|\.LANGUAGE\.|^docs\/agreement\.md$/;
  let files: ReadonlySet<string>;
  let source: string;

  beforeAll(async () => {
    const code = ['src', 'webview', 'test', 'scripts'].map((folder) => `${folder}/**/*.{ts,tsx,mjs,css}`);
    const names = filesMatching(code);
    files = new Set(names.map((name) => name.split('/').at(-1) ?? name));
    const texts = names.filter((name) => !name.startsWith('test/')).map((name) => readFile(join(ROOT, name), 'utf8'));
    source = (await Promise.all(texts)).join('\n');
  });

  it('has the paths that pages name', async () => {
    const paths = pages.flatMap(({ name, spans }) =>
      spans.filter((span) => FOLDERS.test(span) && !CREATED.test(span)).map((path) => ({ name, path })),
    );
    expect(paths.length).toBeGreaterThan(80);
    const broken: string[] = [];
    for (const { name, path } of paths) {
      const [match] = filesMatching(path.replace(/\/$/, ''));
      if (match === undefined) broken.push(`${name}: ${path}`);
    }
    expect(broken).toEqual([]);
  });

  it('has the folders of tables that say whose folders they list', async () => {
    const rows = pages.flatMap(({ name, prose }) =>
      [...prose.matchAll(/^\| in `([^`]+)` \|.*\n((?:\|.*\n)+)/gm)].flatMap(([, folder = '', table = '']) =>
        [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, child = '']) => ({ name, path: `${folder}/${child}` })),
      ),
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const { name, path } of rows) expect(await exists(join(ROOT, path)), `${name}: ${path}`).toBe(true);
  });

  it('has the files that pages for developers name without their folder', () => {
    const names = ({ name, spans }: Page) =>
      isForDevelopers(name) ? spans.filter((span) => /^[\w-]+(\.test)?\.tsx?$/.test(span)) : [];
    expect(missing(names, (name) => files.has(name))).toEqual([]);
  });

  it('has the functions and types that pages for developers name', () => {
    const words = new Set(source.match(/\w+/g));
    const names = ({ name, spans }: Page) =>
      isForDevelopers(name) ? spans.filter((span) => /^([a-z]+[A-Z]|[A-Z][a-z]+[A-Z])\w*$/.test(span)) : [];
    expect(missing(names, (name) => words.has(name))).toEqual([]);
  });

  it('has the commands of npm that pages name', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const names = ({ text }: Page) =>
      [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(missing(names, (name) => Object.hasOwn(scripts, name))).toEqual([]);
  });
});

function isForDevelopers(page: string): boolean {
  return ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/testing.md', 'docs/releasing.md'].includes(page);
}

describe('the command line in pages', () => {
  /** By command, such as `eval` and `history show`; options of a command count for its subcommands too. */
  const options = new Map<string, ReadonlySet<string>>();

  beforeAll(() => readHelp([], new Set()));

  async function readHelp(command: readonly string[], inherited: ReadonlySet<string>): Promise<void> {
    const host = fakeHost({ columns: 200 });
    expect(await run([...command, '--help'], host)).toBe(0);
    const help = host.written.stdout.split('\nExamples:')[0] ?? '';
    const own = new Set([
      ...inherited,
      ...[...help.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, name = '']) => name),
    ]);
    options.set(command.join(' '), own);
    const [, commands = ''] = help.split(/^Commands:$/m);
    const names = [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
    for (const name of names) if (name !== 'help') await readHelp([...command, name], own);
  }

  it('has the commands and options that pages name together', () => {
    const names = ({ text }: Page) =>
      [...text.matchAll(/(?<![\w@./-])turnwise(?: --)? ([a-z][a-z-]*(?:(?!\s#)[^`|;\n])*)/g)]
        .map(([, line = '']) => line.trim())
        // Prose, such as "the turnwise command".
        .filter((line) => options.has(line.split(' ')[0] ?? '') || line.includes('--'));
    const known = (line: string) => {
      const [command = '', second = ''] = line.split(' ');
      const own = options.get(`${command} ${second}`) ?? options.get(command);
      return own !== undefined && optionsIn(line).every((option) => own.has(option));
    };
    expect(options.size).toBeGreaterThan(15);
    expect(missing(names, known)).toEqual([]);
  });

  it('has the commands that pages name in code', () => {
    const names = ({ spans }: Page) => spans.flatMap((span) => /^turnwise ([a-z][a-z-]*)/.exec(span)?.[1] ?? []);
    expect(missing(names, (name) => options.has(name))).toEqual([]);
  });

  it('has the options that pages name alone', () => {
    const all = new Set([...options.values()].flatMap((own) => [...own]));
    /** Of vLLM, vsce, and scripts of this repository. */
    const foreign = ['--api-key', '--again', '--baseContentUrl', '--baseImagesUrl'];
    const names = ({ spans }: Page) => spans.filter((span) => span.startsWith('--') && !foreign.includes(span));
    expect(missing(names, (span) => optionsIn(span).every((option) => all.has(option)))).toEqual([]);
  });
});

function optionsIn(line: string): readonly string[] {
  return line.match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
}

async function scenarioIssues(text: string) {
  const { scenarios, issues } = await readDataScenarios('a.scenario.yaml', text);
  return [...issues, ...scenarios.flatMap((scenario) => checkScenario(describeDataScenario(scenario)).issues)];
}

describe('the configuration in pages', () => {
  const schema = configurationJsonSchema(REGISTRY);
  const properties = getObject(schema, 'properties') ?? {};

  it('is valid in every example', async () => {
    const problems: string[] = [];
    let checked = 0;
    for (const { name, blocks } of pages) {
      for (const { language, text } of blocks) {
        if (language !== 'yaml' || isCiJob(text)) continue;
        const raw = await parseConfiguration('turnwise.config.yaml', text);
        if (raw.kind === 'failed') {
          problems.push(`${name}: ${raw.message}`);
          continue;
        }
        checked += 1;
        const issues = getArray(raw.value, 'turns')
          ? await scenarioIssues(text)
          : checkConfiguration(raw.value, REGISTRY).issues;
        problems.push(...issues.map((issue) => `${name}: ${JSON.stringify(issue)}`));
      }
    }
    expect(checked).toBeGreaterThan(40);
    expect(problems).toEqual([]);
  });

  /** The steps of a GitHub workflow, the whole workflow, or a job of GitLab. */
  function isCiJob(text: string): boolean {
    return /^\s*- |^(?:on|jobs):|^ {2}script:/m.test(text) && /^\s*(?:- (?:run|uses): |script:)/m.test(text);
  }

  it('has the keys that pages name with their section', () => {
    const names = ({ spans }: Page) =>
      spans.flatMap((span) => {
        const [path = ''] = span.split(/[:\s]/);
        const [first = '', ...rest] = path.split('.');
        return rest.length > 0 && isObject(properties[first]) && /^[\w.]+$/.test(path) ? [path] : [];
      });
    // Keys that only a configuration in code has are not in the schema.
    const inCode = ['judge.name'];
    expect(missing(names, (path) => inCode.includes(path) || hasKey(schema, path.split('.')))).toEqual([]);
  });

  /** `NAME` stands for any name. */
  function hasKey(node: unknown, [key, ...rest]: readonly string[]): boolean {
    if (key === undefined) return true;
    const own = getObject(getObject(node, 'properties'), key);
    if (own !== undefined && hasKey(own, rest)) return true;
    const open = get(node, 'additionalProperties');
    const named = getObject(node, 'properties');
    if (key === 'NAME' && named && Object.values(named).some((value) => hasKey(value, rest))) return true;
    if (isObject(open) && hasKey(open, rest)) return true;
    return ['anyOf', 'oneOf', 'allOf'].some((of) =>
      (getArray(node, of) ?? []).some((part) => hasKey(part, [key, ...rest])),
    );
  }
});

describe('the extension in pages', () => {
  const EDITOR_PAGES = ['MARKETPLACE.md', join('docs', 'vscode.md'), join('docs', 'troubleshooting.md')];

  it('has the settings and commands that pages name by id', async () => {
    const { contributes } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const commands = filesMatching('src/{extension,server,protocol}/**/*.ts');
    const code = (await Promise.all(commands.map((file) => readFile(join(ROOT, file), 'utf8')))).join('\n');
    const ids = new Set([
      ...contributes.commands.map(({ command }: { command: string }) => command),
      ...Object.keys(contributes.configuration.properties ?? {}),
      ...(code.match(/turnwise\.\w+(?=['"`])/g) ?? []),
    ]);
    const files = /^turnwise\.(config|baseline|risk|vsix)\b/;
    const names = ({ spans }: Page) => spans.filter((span) => /^turnwise\.\w+$/.test(span) && !files.test(span));
    expect(missing(names, (id) => ids.has(id))).toEqual([]);
  });

  it('has the commands and buttons that its pages name', async () => {
    const titles: string[] = Object.values(JSON.parse(await readFile(join(ROOT, 'package.nls.json'), 'utf8')));
    const bundle = Object.keys(JSON.parse(await readFile(join(ROOT, 'l10n', 'bundle.l10n.json'), 'utf8')));
    const views = filesMatching('webview/**/*.{ts,tsx}');
    const webview = (await Promise.all(views.map((file) => readFile(join(ROOT, file), 'utf8')))).join('\n');
    const inWebview = (title: string) => new RegExp(`['">\\s\`]${title}['"<\\n\`]`).test(webview);
    const ofEditor = ['Quick Fix'];
    // Pages leave out the "…" of commands that ask, as those of VS Code do.
    const known = new Set([...titles.map((title) => title.replace(/…$/, '')), ...bundle, ...ofEditor]);
    const names = ({ name, prose }: Page) =>
      EDITOR_PAGES.includes(name)
        ? [...prose.replaceAll('\n', ' ').matchAll(/\*\*([A-Z][\w ]+)\*\*|\*Turnwise: ([\w ]+)\*/g)]
            .map(([, bold, italic = '']) => bold ?? italic)
            .filter(
              (title) =>
                title.split(' ').length > 1 &&
                title.split(' ').every((word) => /^[A-Z]|^(to|of|in|the|by|as|with)$/.test(word)),
            )
        : [];
    expect(missing(names, (title) => known.has(title) || inWebview(title))).toEqual([]);
  });
});
