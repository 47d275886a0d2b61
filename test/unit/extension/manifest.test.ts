import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import manifestJson from '../../../package.json' with { type: 'json' };
import words from '../../../package.nls.json' with { type: 'json' };
import { shippedFiles } from '../../../scripts/shipped-files.ts';
import { DEFAULT_SCENARIOS } from '../../../src/core/scenario-file-names.ts';
import { isConfigurationFile, isSidecar } from '../../../src/core/trace-file-names.ts';
import { DEFAULT_TRACES, settings } from '../../../src/protocol/settings.ts';
import { RULES } from '../../../src/rules/index.ts';

const root = join(import.meta.dirname, '..', '..', '..');

const word = z.string().regex(/^%[\w.]+%$/);
const command = z.strictObject({
  command: z.string().startsWith('turnwise.'),
  category: z.literal('Turnwise'),
  title: z.string().regex(/^%command\.\w+\.title%$/),
  icon: z.string().optional(),
  enablement: z.string().optional(),
});
const menuItem = z.strictObject({ command: z.string(), group: z.string().optional(), when: z.string() });
const view = z.strictObject({
  id: z.string().startsWith('turnwise.'),
  name: word,
  icon: z.string(),
  visibility: z.literal('collapsed').optional(),
});
const setting = z.object({ scope: z.literal('window'), default: z.unknown(), markdownDescription: word });

const walkthrough = z.strictObject({
  id: z.string(),
  title: word,
  description: word,
  steps: z.array(
    z.strictObject({
      id: z.string(),
      title: word,
      description: word,
      media: z.strictObject({ image: z.string(), altText: word }),
      completionEvents: z.array(z.string()).min(1),
    }),
  ),
});

/** The manifest fields this project uses, stricter than VS Code's schema. */
const manifestSchema = z.object({
  main: z.string(),
  icon: z.string(),
  description: word,
  activationEvents: z.array(z.string()),
  extensionKind: z.tuple([z.literal('workspace')]),
  capabilities: z.strictObject({
    untrustedWorkspaces: z.strictObject({
      supported: z.literal('limited'),
      description: word,
      restrictedConfigurations: z.array(z.string()),
    }),
    virtualWorkspaces: z.strictObject({ supported: z.literal('limited'), description: word }),
  }),
  contributes: z.object({
    commands: z.array(command),
    configuration: z.strictObject({
      title: z.literal('Turnwise'),
      properties: z.record(z.string().startsWith('turnwise.'), setting),
    }),
    views: z.record(z.string(), z.array(view)),
    viewsContainers: z.strictObject({
      activitybar: z.array(z.strictObject({ id: z.string(), title: word, icon: z.string() })),
    }),
    viewsWelcome: z.array(z.strictObject({ view: z.string(), contents: word, when: z.string() })),
    walkthroughs: z.array(walkthrough),
    menus: z.record(z.string(), z.array(menuItem)),
  }),
});
const manifest = manifestSchema.parse(manifestJson);
const { commands, configuration, menus, views, viewsContainers, viewsWelcome, walkthroughs } = manifest.contributes;
const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);
const names = new Set(commands.map((command) => command.command));
const allItems = Object.values(menus).flat();
const iconOf = (name: string) => commands.find((command) => command.command === name)?.icon;
const source = (file: string) => readFileSync(join(root, 'src', 'extension', file), 'utf8');

/** Commands that need a target from a menu, a lens, a code action or a row. */
const OF_CONTEXT = [
  'turnwise.answerQuestion',
  'turnwise.compareScenario',
  'turnwise.copy',
  'turnwise.copySession',
  'turnwise.copyTurn',
  'turnwise.evaluateLookalikes',
  'turnwise.openAttemptReport',
  'turnwise.openJson',
  'turnwise.openRuleDocumentation',
  'turnwise.openRunsPage',
  'turnwise.openScenarioReport',
  'turnwise.openUserPrompt',
  'turnwise.rejudge',
  'turnwise.runScenario',
  'turnwise.setRuleSeverity',
  'turnwise.showMore',
  'turnwise.showServerStatus',
  'turnwise.showTurn',
  'turnwise.suppressFinding',
];

describe('the manifest', () => {
  it('takes every string from package.nls.json, which has no others', () => {
    const used = [...JSON.stringify(manifestJson).matchAll(/%([\w.]+)%/g)].map(([, key]) => key);
    expect(new Set(used)).toEqual(new Set(Object.keys(words)));
  });

  it('activates in a folder with traces, scenarios or a configuration, or when used', () => {
    const configurations = '**/{turnwise,agentest}.config.{ts,js,mjs,json,yaml,yml}';
    expect(manifest.activationEvents).toEqual([
      'onWebviewPanel:turnwise.report',
      'onWebviewPanel:turnwise.sessions',
      'onWebviewPanel:turnwise.runs',
      ...[...DEFAULT_TRACES, ...DEFAULT_SCENARIOS, configurations].map((glob) => `workspaceContains:${glob}`),
    ]);
  });

  it('names only files that exist and are packaged', async () => {
    const pictures = [
      manifest.icon,
      ...viewsContainers.activitybar.map(({ icon }) => icon),
      ...steps.map(({ media }) => media.image),
    ];
    const pages = ['docs/judges.md', ...RULES.map(({ id }) => `docs/rules/${id}.md`)];
    const shipped = await shippedFiles(root);
    for (const file of [...pictures, ...pages]) {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect(shipped).toContain(file);
    }
    expect(shipped).toEqual(expect.arrayContaining(['package.json', 'package.nls.json']));
  });
});

describe('a command', () => {
  it.each(Object.entries(words).filter(([key]) => key.startsWith('command.')))('%s is a title: "%s"', (_, title) => {
    expect(title).not.toMatch(/turnwise/i);
    expect(title).not.toMatch(/[.…]$/);
    expect(title[0]).toBe(title[0]?.toUpperCase());
  });

  it('is declared once and registered by the extension', () => {
    const done = [...source('commands.ts').matchAll(/^ {2}'(turnwise\.\w+)': /gm)].map(([, name]) => name);
    expect(done.length).toBeGreaterThan(10);
    expect(commands.map((command) => command.command).sort()).toEqual(done.sort());
  });

  it('is in the palette unless it needs a target', () => {
    const hidden = menus.commandPalette?.filter(({ when }) => when === 'false').map((item) => item.command);
    expect(hidden?.sort()).toEqual(OF_CONTEXT);
  });

  it('uses only context keys that the extension sets in its enablement', () => {
    const known = new Set([...source('context-keys.ts').matchAll(/'(turnwise\.\w+)'/g)].map(([, key]) => key));
    for (const { enablement = '' } of commands) {
      for (const part of enablement.split(' && ').filter((item) => item !== ''))
        expect(part).toMatch(/^!?turnwise\.\w+( != \w+)?$/);
    }
    const input = [
      ...commands.map(({ enablement = '' }) => enablement),
      ...[...allItems, ...viewsWelcome].map(({ when }) => when),
      ...steps.flatMap(({ completionEvents }) => completionEvents.filter((event) => event.startsWith('onContext:'))),
    ];
    const keys = input.flatMap((when) => [...when.matchAll(/(?<!== )\bturnwise\.\w+/g)].map(([key]) => key));
    expect(new Set(keys)).toEqual(known);
  });
});

describe('a menu', () => {
  it('has only declared commands', () => {
    for (const item of allItems) expect(names).toContain(item.command);
  });

  it.each(['editor/context', 'editor/title', 'editor/title/context', 'explorer/context'])(
    '%s offers the evaluation of files on disk with the names of traces, not of configurations and sidecars',
    (menu) => {
      const when = menus[menu]?.find((item) => item.command === 'turnwise.evaluate')?.when ?? '';
      expect(when).toContain('resourceScheme == file');
      const [, pattern = ''] = /resourceFilename =~ \/(.+)\/i/.exec(when) ?? [];
      const offered = new RegExp(pattern, 'i');
      const traces = ['json', 'jsonl', 'ndjson', 'traj', 'eval', 'JSON'].map((extension) => `a.trace.${extension}`);
      for (const name of [...traces, 'turnwise.json', 'my_test_config.json']) {
        expect(name).toMatch(offered);
        expect(isConfigurationFile(name) || isSidecar(name)).toBe(false);
      }
      for (const name of ['a.md', 'a.jsonc', 'a.ts', 'json']) expect(name).not.toMatch(offered);
      for (const name of ['turnwise.config.json', 'Agentest.config.json', 'test_config.json', 'a.turnwise.json']) {
        expect(name).not.toMatch(offered);
        expect(isConfigurationFile(name) || isSidecar(name)).toBe(true);
      }
    },
  );

  it('of the view applies to the view, with icons for inline commands', () => {
    const ofView = [...(menus['view/title'] ?? []), ...(menus['view/item/context'] ?? [])];
    expect(ofView.length).toBeGreaterThan(10);
    for (const { command: name, group = '', when } of ofView) {
      expect(when).toMatch(/^view == turnwise\.(results|runs)\b/);
      if (/^(navigation|inline)/.test(group)) expect(iconOf(name), name).toMatch(/^\$\([\w-]+\)$/);
    }
  });

  it('of a row names existing kinds of rows', () => {
    const kinds = new Set(
      [...`${source('result-items.ts')}${source('run-items.ts')}`.matchAll(/contextValue: (.+),/g)].flatMap(
        ([, value = '']) => [...value.matchAll(/'([\w.]+)'/g)].map(([, kind]) => kind ?? ''),
      ),
    );
    expect(kinds.size).toBeGreaterThan(5);
    for (const { when } of menus['view/item/context'] ?? []) {
      const [, exact] = /viewItem [!=]= ([\w.]+)/.exec(when) ?? [];
      const [, pattern] = /viewItem =~ \/(.+)\//.exec(when) ?? [];
      if (exact !== undefined) expect(kinds).toContain(exact);
      else for (const item of pattern?.replaceAll(/[\^$()]/g, '').split('|') ?? ['']) expect(kinds).toContain(item);
    }
  });
});

describe('the walkthrough', () => {
  it('has four steps, each with one button that runs a command', () => {
    expect(steps.map(({ id }) => id)).toEqual(['evaluate', 'problem', 'judge', 'scenario']);
    const texts: Readonly<Record<string, string>> = words;
    for (const { description } of steps) {
      const buttons = [...(texts[description.replaceAll('%', '')] ?? '').matchAll(/^\[[^\]]+\]\(command:(.+)\)$/gm)];
      expect(buttons).toHaveLength(1);
      expect(names).toContain(buttons[0]?.[1]);
    }
  });

  it('has steps that commands or contexts complete', () => {
    for (const event of steps.flatMap(({ completionEvents }) => completionEvents)) {
      const [kind, name = ''] = event.split(':');
      expect(kind).toMatch(/^on(Command|Context)$/);
      if (kind === 'onCommand') expect(names).toContain(name);
    }
  });
});

describe('the view', () => {
  it('is in a container and has a welcome text', () => {
    const all = Object.values(views).flat();
    for (const { id } of all) expect(viewsWelcome.map((item) => item.view)).toContain(id);
    expect(viewsContainers.activitybar.map(({ id }) => id)).toEqual(Object.keys(views));
  });

  it('links only to declared commands from its welcome text', () => {
    const elsewhere = ['vscode.openFolder', 'workbench.action.openSettings', 'workbench.trust.manage'];
    const texts = Object.entries(words).flatMap(([key, text]) => (key.startsWith('view.') ? text : []));
    const links = texts.flatMap((text) =>
      [...text.matchAll(/\(command:([\w.]+)(\?[^)]*)?\)/g)].map(([, name]) => name),
    );
    expect(links).toContain('turnwise.evaluate');
    for (const link of links) expect([...names, ...elsewhere]).toContain(link);
  });
});

describe('the settings', () => {
  it('are those of the server, with the same defaults, and the extension’s own', () => {
    const { trusted: _, ...known } = z.parse(settings, {});
    const defaults = Object.entries(configuration.properties).map(([key, item]) => [
      key.replace('turnwise.', ''),
      item.default,
    ]);
    expect(Object.fromEntries(defaults)).toEqual({ ...known, revealOnSelect: true });
  });

  it('that control what is read and what runs automatically are restricted in untrusted folders', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(restrictedConfigurations).toEqual([
      'turnwise.traces',
      'turnwise.evaluateOnSave',
      'turnwise.editorModelsOnSave',
    ]);
    for (const key of restrictedConfigurations) expect(Object.keys(configuration.properties)).toContain(key);
  });
});
