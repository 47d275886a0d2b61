import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import typesJson from '../../../node_modules/@types/vscode/package.json' with { type: 'json' };
import manifestJson from '../../../package.json' with { type: 'json' };
import germanWords from '../../../package.nls.de.json' with { type: 'json' };
import words from '../../../package.nls.json' with { type: 'json' };
import { manifestEntry } from '../../../scripts/agent-tools.ts';
import { shippedFiles } from '../../../scripts/shipped-files.ts';
import { AGENT_TOOLS } from '../../../src/agent-tools/tools.ts';
import { DEFAULT_SCENARIOS } from '../../../src/core/scenario-file-names.ts';
import { AGENT_TOOL_NAMES } from '../../../src/protocol/agent-tools.ts';
import { DEFAULT_TRACES, settings } from '../../../src/protocol/settings.ts';
import { RULES } from '../../../src/rules/index.ts';
import { CODE_SERVERS } from '../../support/vscode/install.ts';
import { holds } from '../../support/when-clause.ts';
import { commandNames, manifest, root, steps, textOf } from './manifest.ts';

const { configuration, views, viewsContainers, viewsWelcome } = manifest.contributes;

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

  it('packages no sources, source maps, tests or modules', async () => {
    const shipped = await shippedFiles(root);
    const folders = new Set(shipped.flatMap((file) => file.split('/').slice(0, -1).slice(0, 1)));
    expect(['dist', 'docs', 'l10n', 'media', 'samples', 'snippets']).toEqual(expect.arrayContaining([...folders]));
    const code = shipped.filter((file) => /\.(?:map|[cm]?[jt]sx?)$/.test(file));
    expect(code.filter((file) => !/^dist\/.+\.c?js$/.test(file))).toEqual([]);
  });

  it('names all JSON schemas that the build writes, and packages them', () => {
    const { jsonValidation, yamlValidation } = manifest.contributes;
    const named = [...jsonValidation, ...yamlValidation].map(({ url }) => url.replace('./dist/', ''));
    const script = readFileSync(join(root, 'scripts', 'config-schema.ts'), 'utf8');
    const written = [...script.matchAll(/'([\w.]+\.schema\.json)'/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(written));
    const packaged = readFileSync(join(root, '.vscodeignore'), 'utf8').split('\n');
    expect(packaged).toEqual(expect.arrayContaining(written.map((name) => `!dist/${name}`)));
  });

  it('has the schemas of files in YAML as well', () => {
    const { jsonValidation, yamlValidation } = manifest.contributes;
    for (const name of ['turnwise.config', '*.scenario']) {
      const json = jsonValidation.find(({ fileMatch }) => fileMatch === `${name}.json`);
      for (const extension of ['yaml', 'yml']) {
        expect(yamlValidation).toContainEqual({ fileMatch: `${name}.${extension}`, url: json?.url });
      }
    }
  });

  it('has the types of its oldest supported VS Code, so that nothing newer is used', () => {
    const types = manifestJson.devDependencies['@types/vscode'];
    expect(types).toMatch(/^\d+\.\d+\.\d+$/);
    expect(manifestJson.engines.vscode).toBe(`^${types}`);
    expect(typesJson.version).toBe(types);
  });

  it('is tested with its oldest supported VS Code', () => {
    const minor = (version: string) => /^\D*\d+\.(\d+)\./.exec(version)?.[1];
    expect(minor(CODE_SERVERS.oldest)).toBe(minor(manifestJson.engines.vscode));
    expect(Number(minor(CODE_SERVERS.newest))).toBeGreaterThan(Number(minor(CODE_SERVERS.oldest)));
  });
});

describe('a custom editor', () => {
  const patternsOf = (priority: string) =>
    manifest.contributes.customEditors.flatMap((editor) =>
      editor.priority === priority ? editor.selector.map(({ filenamePattern }) => filenamePattern) : [],
    );

  it('is the default for archives only, since people read other traces as text', () => {
    expect(patternsOf('default')).toEqual(['*.eval']);
    expect(patternsOf('option')).toEqual(['*.json', '*.jsonl', '*.ndjson', '*.traj']);
  });
});

describe('the tools for coding agents', () => {
  it('are those of turnwise mcp: `npm run agent-tools` writes them', () => {
    expect(manifest.contributes.languageModelTools).toEqual(AGENT_TOOLS.map(manifestEntry));
    expect(AGENT_TOOL_NAMES).toEqual(AGENT_TOOLS.map(({ name }) => name));
  });

  it('are in the editor, or those of turnwise mcp, only while the setting says so', () => {
    for (const { when } of manifest.contributes.languageModelTools)
      expect(when).toBe('config.turnwise.agentTools == editor');
    expect(configuration.properties['turnwise.agentTools']?.default).toBe('editor');
    const servers = manifest.contributes.mcpServerDefinitionProviders;
    expect(servers.map(({ when }) => when)).toEqual(['config.turnwise.agentTools == mcp']);
  });
});

describe('the walkthrough', () => {
  it('has four steps, each with one button that runs a command', () => {
    expect(steps.map(({ id }) => id)).toEqual(['evaluate', 'problem', 'judge', 'scenario']);
    for (const { description } of steps) {
      const buttons = [...textOf(description).matchAll(/^\[[^\]]+\]\(command:(.+)\)$/gm)];
      expect(buttons).toHaveLength(1);
      expect(commandNames).toContain(buttons[0]?.[1]);
    }
  });

  it('has steps that commands or contexts complete', () => {
    for (const event of steps.flatMap(({ completionEvents }) => completionEvents)) {
      const [kind, name = ''] = event.split(':');
      expect(kind).toMatch(/^on(Command|Context)$/);
      if (kind === 'onCommand') expect(commandNames).toContain(name);
    }
  });
});

describe('the view', () => {
  it('is in a container and has a welcome text', () => {
    const all = Object.values(views).flat();
    for (const { id } of all) expect(viewsWelcome.map((item) => item.view)).toContain(id);
    expect(viewsContainers.activitybar.map(({ id }) => id)).toEqual(Object.keys(views));
  });

  it('shows one sentence with at most one button in every state of an empty view', () => {
    const states = [
      ['turnwise.isReady', 'turnwise.evaluating', 'turnwise.serverStopped', 'turnwise.hasScanned', 'turnwise.hasFiles'],
      ['virtualWorkspace', 'isWorkspaceTrusted', 'workspaceFolderCount'],
    ].flat();
    const shown = new Set<string>();
    for (let at = 0; at < 2 ** states.length; at += 1) {
      const contextOf = (key: string) => (at >> states.indexOf(key)) & 1;
      for (const view of ['turnwise.results', 'turnwise.runs']) {
        const texts = viewsWelcome.filter((item) => item.view === view && holds(item.when, contextOf));
        expect(texts.length).toBeLessThanOrEqual(1);
        for (const { contents } of texts) shown.add(contents);
      }
    }
    expect(shown).toEqual(new Set(viewsWelcome.map(({ contents }) => contents)));
    for (const language of [words, germanWords]) {
      const texts = new Map(Object.entries(language));
      for (const contents of shown) {
        const [sentence = '', ...buttons] = (texts.get(contents.slice(1, -1)) ?? '').split('\n');
        expect(sentence).not.toMatch(/[.!?] /);
        expect(buttons.length).toBeLessThanOrEqual(1);
      }
    }
  });

  it('links only to declared commands from its welcome text', () => {
    const elsewhere = ['vscode.openFolder', 'workbench.action.openSettings', 'workbench.trust.manage'];
    const welcome = Object.entries(words).flatMap(([key, text]) => (key.startsWith('view.') ? text : []));
    const links = welcome.flatMap((text) =>
      [...text.matchAll(/\(command:([\w.]+)(\?[^)]*)?\)/g)].map(([, name]) => name),
    );
    expect(links).toContain('turnwise.findTraces');
    for (const link of links) expect([...commandNames, ...elsewhere]).toContain(link);
  });
});

describe('the settings', () => {
  it('are those of the server, with the same defaults, and the extension’s own', () => {
    const { trusted: _, ...known } = z.parse(settings, {});
    const defaults = Object.entries(configuration.properties).map(([key, item]) => [
      key.replace('turnwise.', ''),
      item.default,
    ]);
    expect(Object.fromEntries(defaults)).toEqual({ ...known, revealOnSelect: true, agentTools: 'editor' });
  });

  it('are each explained on the page of the editor', () => {
    const page = readFileSync(join(root, 'docs', 'vscode.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(turnwise\.\w+)` \| \S/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(Object.keys(configuration.properties).sort());
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
