import { describe, expect, it } from 'vitest';
import words from '../../../package.nls.json' with { type: 'json' };
import { isConfigurationFile, isSidecar } from '../../../src/core/trace-file-names.ts';
import { commandNames, manifest, source, steps, textOf } from './manifest.ts';

const { commands, menus, views, viewsWelcome } = manifest.contributes;
const allItems = Object.values(menus).flat();
const iconOf = (name: string) => commands.find((command) => command.command === name)?.icon;

/** Commands that ask for more than their target. A confirmation is no such question, as in VS Code's own "Delete". */
const ASKING = [
  'turnwise.answerQuestion',
  'turnwise.chooseEmbedder',
  'turnwise.chooseJudge',
  'turnwise.compareWith',
  'turnwise.deleteApiKeys',
  'turnwise.evaluateWith',
  'turnwise.exportRun',
  'turnwise.newScenario',
  'turnwise.renameRun',
  'turnwise.setApiKey',
  'turnwise.setAsBaseline',
  'turnwise.setRuleSeverity',
  'turnwise.suppressFinding',
];

/** Context keys that VS Code defines, and `webviewSection`, which the report sets in its page. */
const KEYS_OF_VSCODE = [
  'activeWebviewPanelId',
  'controllerId',
  'editorLangId',
  'explorerResourceIsFolder',
  'isWorkspaceTrusted',
  'listMultiSelection',
  'resourceFilename',
  'resourcePath',
  'resourceScheme',
  'testMessage',
  'view',
  'viewItem',
  'virtualWorkspace',
  'webviewId',
  'webviewSection',
  'workspaceFolderCount',
];

/** Words that are in lower case within a title. */
const SMALL_WORDS = ['a', 'an', 'as', 'at', 'by', 'for', 'from', 'in', 'of', 'on', 'or', 'the', 'to', 'with'];

/** The context keys of a `when` clause. Throws for a clause that VS Code would read as something else. */
function contextKeys(when: string): string[] {
  const terms = when.replaceAll(/\/(?:\\.|[^/\\])+\/[a-z]*/g, 'PATTERN').split(/&&|\|\||[()]/);
  return terms.flatMap((part) => {
    const term = part.trim();
    if (['', 'false', 'true'].includes(term)) return [];
    const [, key, list] = /^([\w.]+) (?:not )?in ([\w.]+)$/.exec(term) ?? [];
    if (key !== undefined && list !== undefined) return [key, list];
    const [, compared] = /^!?([\w.]+)(?: (?:==|!=|=~) [\w.-]+)?$/.exec(term) ?? [];
    if (compared === undefined) throw new Error(`"${term}" in "${when}" is no condition.`);
    return [compared];
  });
}

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
  'turnwise.showSessions',
  'turnwise.showTurn',
  'turnwise.suppressFinding',
];

describe('a command', () => {
  it.each(Object.entries(words).filter(([key]) => key.startsWith('command.')))('%s is a title: "%s"', (_, title) => {
    expect(title).not.toMatch(/turnwise/i);
    expect(title).not.toMatch(/\.$/);
    const parts = title.replace(/…$/, '').split(' ');
    for (const [index, part] of parts.entries()) {
      const isSmall = SMALL_WORDS.includes(part.toLowerCase()) && index > 0 && index < parts.length - 1;
      expect(part).toMatch(isSmall ? /^[a-z]/ : /^[A-Z]/);
    }
  });

  it('ends in "…" if it asks for something, and otherwise does not', () => {
    const withEllipsis = commands.filter(({ title }) => textOf(title).endsWith('…'));
    expect(withEllipsis.map(({ command: name }) => name).sort()).toEqual(ASKING);
    expect(JSON.stringify(commands.map(({ title }) => textOf(title)))).not.toContain('...');
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

  it('is enabled by state of Turnwise', () => {
    for (const { enablement = '' } of commands) {
      for (const key of contextKeys(enablement)) expect(key).toMatch(/^turnwise\.\w+$/);
    }
  });
});

describe('a condition', () => {
  const conditions = [
    ...commands.map(({ enablement = '' }) => enablement),
    ...[...allItems, ...viewsWelcome].map(({ when }) => when),
  ];
  const keys = new Set(conditions.flatMap(contextKeys));

  it('uses all context keys that the extension sets, and no others of its own', () => {
    const known = new Set([...source('context-keys.ts').matchAll(/'(turnwise\.\w+)'/g)].map(([, key]) => key));
    const completions = steps.flatMap(({ completionEvents }) =>
      completionEvents.flatMap((event) => (event.startsWith('onContext:') ? event.slice('onContext:'.length) : [])),
    );
    const own = [...keys, ...completions].filter((key) => key.startsWith('turnwise.'));
    expect(new Set(own)).toEqual(known);
  });

  it('uses only keys of VS Code besides', () => {
    expect([...keys].filter((key) => !key.startsWith('turnwise.')).sort()).toEqual(KEYS_OF_VSCODE);
  });

  it('names views and panels that exist', () => {
    const ids = new Set(Object.values(views).flatMap((all) => all.map(({ id }) => id)));
    const named = conditions.flatMap((when) => [...when.matchAll(/\bview == ([\w.]+)/g)].map(([, id]) => id));
    expect(new Set(named)).toEqual(ids);
    const reports = ['turnwise.report', ...manifest.contributes.customEditors.map(({ viewType }) => viewType)];
    const panels = (menus['webview/context'] ?? []).map(({ command: name, when }) => {
      const [, exact = '', pattern = ''] = /^webviewId (?:== ([\w.]+)|=~ \/(.+?)\/)/.exec(when) ?? [];
      return [name, reports.filter((id) => (pattern === '' ? id === exact : new RegExp(pattern).test(id)))];
    });
    expect(Object.fromEntries(panels)).toEqual({
      // An archive has no lines.
      'turnwise.showTurn': ['turnwise.report', 'turnwise.traceReport'],
      'turnwise.addToTests': reports,
      'turnwise.copyTurn': reports,
      'turnwise.copySession': reports,
      // A custom editor belongs to its file.
      'turnwise.keepReportOpen': ['turnwise.report'],
    });
  });
});

describe('a menu', () => {
  it('has only declared commands', () => {
    for (const item of allItems) expect(commandNames).toContain(item.command);
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

  it('in the title of the results has no command for rows, since VS Code would give it the selected one', () => {
    const ofView = (menu: string) =>
      (menus[menu] ?? []).filter(({ when }) => when.includes('turnwise.results')).map((item) => item.command);
    const ofRows = new Set(ofView('view/item/context'));
    expect(ofView('view/title').filter((name) => ofRows.has(name))).toEqual([]);
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
