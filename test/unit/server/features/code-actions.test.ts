import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type ClientCapabilities,
  type CodeAction,
  type CodeActionContext,
  CodeActionTriggerKind,
  type Diagnostic,
  type Range,
  TextDocumentEdit,
  type TextEdit,
} from 'vscode-languageserver/node';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { findingArgument, ruleArgument, ruleDocumentationArgument } from '../../../../src/protocol/finding-edits.ts';
import { type InitializationSettings, initialization } from '../../../../src/protocol/settings.ts';
import { buildDiagnostics } from '../../../../src/server/diagnostics.ts';
import { applyPlan, minimalTextEdit } from '../../../../src/server/disk/file-change.ts';
import { EditPlanner } from '../../../../src/server/edits/edits.ts';
import { planSidecarEdit } from '../../../../src/server/edits/plan-sidecar-edit.ts';
import { codeActionsAt } from '../../../../src/server/features/code-actions.ts';
import type { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { UNKNOWN_TOOL } from '../../../support/traces.ts';
import { type EvaluatedSamples, evaluateSamples } from '../results/evaluate-samples.ts';

interface Asked {
  readonly settings?: Partial<InitializationSettings>;
  readonly capabilities?: ClientCapabilities;
  readonly context?: Partial<CodeActionContext>;
  readonly folders?: readonly string[];
}

function settingsOf(input: Partial<InitializationSettings> = {}): () => InitializationSettings {
  return () => ({ ...initialization.parse({}), client: 'vscode', ...input });
}

function plansOf(
  results: EvaluationResults,
  { settings, folders = [] }: Pick<Asked, 'settings' | 'folders'>,
): EditPlanner {
  return new EditPlanner({
    results,
    planSidecarEdit: (edit) => planSidecarEdit(nodeFileSystem, edit),
    settings: settingsOf(settings),
    folders: async () => folders,
  });
}

/** @param line counted from one. */
function actions({ results, uri }: EvaluatedSamples, line: number, asked: Asked = {}): Promise<CodeAction[]> {
  const { settings, capabilities = {}, context } = asked;
  const at = { line: line - 1, character: 12 };
  return codeActionsAt(
    { results, settings: settingsOf(settings), capabilities, plans: plansOf(results, asked) },
    { textDocument: { uri }, range: { start: at, end: at }, context: { diagnostics: [], ...context } },
  );
}

const titles = (all: readonly CodeAction[]): string[] => all.map(({ title }) => title);

/** One finding alone. */
const QUIET = { 'turnwise.config.json': '{ "rules": { "unrecovered-error": "off", "failure-at-end": "off" } }' };

async function chat(text = UNKNOWN_TOOL, configuration: Readonly<Record<string, string>> = QUIET) {
  const folder = await temporaryFolder({ '.git': '', 'chat.json': text, ...configuration });
  return {
    folder: folder.path,
    found: await evaluateSamples(folder.path, 'chat.json'),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

/** The lines of the trace: of the turn, and of the call that proves the finding. */
const TURN = 15;
const CALL = 24;

/** All that an editor shows on the line of the call. */
function shown({ results, uri }: EvaluatedSamples): Diagnostic[] {
  const isOnLine = ({ start, end }: Range) => start.line < CALL && end.line >= CALL - 1;
  return buildDiagnostics(uri, results, {}).filter(({ range }) => isOnLine(range));
}

describe('code actions in VS Code', () => {
  it('on a finding suppress it, set its severity and open its documentation by commands', async () => {
    await using it = await chat();
    const diagnostics = shown(it.found);
    expect(diagnostics).toHaveLength(1);
    const [own] = diagnostics;
    const at = { line: 0, character: 0 };
    const others = own
      ? [
          { ...own, code: 'other' },
          { ...own, range: { start: at, end: at } },
        ]
      : [];
    const all = await actions(it.found, CALL, { context: { diagnostics: [...others, ...diagnostics] } });
    expect(titles(all)).toEqual([
      'Suppress This Finding…',
      'Set Severity of unknown-tool…',
      'Open Documentation of unknown-tool',
    ]);
    const { uri, keyOf } = it.found;
    const rule = 'unknown-tool';
    expect(all.map(({ command }) => [command?.command, command?.arguments?.[0]])).toEqual([
      ['turnwise.suppressFinding', { uri, session: keyOf('chat'), turn: 0, rule }],
      ['turnwise.setRuleSeverity', { uri, rule }],
      ['turnwise.openRuleDocumentation', { rule }],
    ]);
    for (const { diagnostics: mended } of all) expect(mended).toEqual(diagnostics);
    const [accept, level, page] = all.map(({ command }) => command?.arguments?.[0]);
    expect([findingArgument.parse(accept), ruleArgument.parse(level), ruleDocumentationArgument.parse(page)]).toEqual([
      accept,
      level,
      page,
    ]);
  });

  it('on the line of a turn are about all its findings', async () => {
    const text = await readFile(
      join(import.meta.dirname, '../../../../samples/claim-wrong-tool-and-argument.json'),
      'utf8',
    );
    await using it = await chat(text);
    const [turn] = it.found.report.sessions[0]?.turns ?? [];
    expect(titles(await actions(it.found, turn?.line ?? 0))).toEqual([
      'Suppress unknown-tool in Turn 1…',
      'Suppress arguments-break-schema in Turn 1…',
      'Suppress amount-stated in Turn 1…',
      ...['unknown-tool', 'arguments-break-schema', 'amount-stated'].flatMap((rule) => [
        `Set Severity of ${rule}…`,
        `Open Documentation of ${rule}`,
      ]),
    ]);
  });

  it('inside a turn are offered by hand only, without a light bulb on every line', async () => {
    await using it = await chat();
    const ask = (line: number, triggerKind: CodeActionTriggerKind) =>
      actions(it.found, line, { context: { triggerKind } });
    for (const line of [TURN, TURN + 1, CALL + 10]) {
      expect(await ask(line, CodeActionTriggerKind.Invoked)).toHaveLength(3);
    }
    expect(await ask(TURN, CodeActionTriggerKind.Automatic)).toHaveLength(3);
    expect(await ask(TURN + 1, CodeActionTriggerKind.Automatic)).toEqual([]);
    expect(await ask(TURN - 1, CodeActionTriggerKind.Invoked)).toEqual([]);
  });

  it.each([
    [['quickfix'], 3],
    [[''], 3],
    [['refactor', 'quickfix'], 3],
    [['source.fixAll'], 0],
    [['quickfix.other'], 0],
  ])('are quick fixes: for %j there are %j', async (only, count) => {
    await using it = await chat();
    expect(await actions(it.found, CALL, { context: { only } })).toHaveLength(count);
  });

  it('are absent without findings, and for what only a judge says', async () => {
    await using it = await chat();
    expect(await actions(it.found, 3)).toEqual([]);
    expect(await actions({ ...it.found, uri: 'untitled:x' }, CALL)).toEqual([]);
    expect(await actions({ ...it.found, uri: 'file:///none.json' }, CALL)).toEqual([]);
  });
});

const MODERN: ClientCapabilities = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] } },
  textDocument: { codeAction: { disabledSupport: true } },
};

/** A text after the edits of an editor. */
function applied(text: string, edits: readonly TextEdit[]): string {
  const lines = text.split(/(?<=\n)/);
  const offset = ({ line, character }: Range['start']) => lines.slice(0, line).join('').length + character;
  return edits.reduce(
    (now, { range, newText }) => now.slice(0, offset(range.start)) + newText + now.slice(offset(range.end)),
    text,
  );
}

describe('code actions in another editor', () => {
  const other = { client: 'other' } as const;

  it('are edits: one that suppresses, and one per other severity', async () => {
    await using it = await chat();
    const all = await actions(it.found, CALL, { settings: other, capabilities: MODERN, folders: [it.folder] });
    expect(titles(all)).toEqual([
      'Suppress unknown-tool in Turn 1: "say why"',
      'Set Severity of unknown-tool to info',
      'Set Severity of unknown-tool to low',
      'Set Severity of unknown-tool to medium',
      'Set Severity of unknown-tool to critical',
      'Turn Off unknown-tool',
    ]);
    expect(all.every(({ command }) => command === undefined)).toBe(true);
    const [create, change] = all[0]?.edit?.documentChanges ?? [];
    const uri = pathToFileURL(join(it.folder, 'chat.turnwise.json')).href;
    expect(create).toEqual({ kind: 'create', uri, options: { ignoreIfExists: true } });
    if (!TextDocumentEdit.is(change)) throw new Error('It changes no document.');
    expect(change.textDocument).toEqual({ uri, version: null });
    const text = applied(
      '',
      change.edits.filter((edit) => 'newText' in edit),
    );
    expect(JSON.parse(text)).toEqual({
      turns: [{ index: 0, suppressions: [{ rule: 'unknown-tool', reason: 'say why' }] }],
    });
  });

  it('edit existing files', async () => {
    const config = '# ours\nrules:\n  unknown-tool: low # for now\n  unrecovered-error: off\n';
    await using it = await chat(UNKNOWN_TOOL, { 'turnwise.config.yaml': config });
    const all = await actions(it.found, CALL, { settings: other, capabilities: MODERN });
    const off = all.find(({ title }) => title === 'Turn Off unknown-tool');
    const [change, ...more] = off?.edit?.documentChanges ?? [];
    expect(more).toEqual([]);
    if (!TextDocumentEdit.is(change)) throw new Error('It changes no document.');
    expect(fileURLToPath(change.textDocument.uri)).toBe(join(it.folder, 'turnwise.config.yaml'));
    expect(change.edits).toEqual([
      {
        range: { start: { line: 2, character: 0 }, end: { line: 3, character: 0 } },
        newText: '  unknown-tool: off # for now\n',
      },
    ]);
  });

  it('are plain changes where the editor does not create files on request', async () => {
    await using it = await chat();
    const [accept] = await actions(it.found, CALL, { settings: other });
    const changes = accept?.edit?.changes ?? {};
    expect(Object.keys(changes)).toEqual([pathToFileURL(join(it.folder, 'chat.turnwise.json')).href]);
  });

  it('say why they are disabled, where the editor supports it', async () => {
    await using it = await chat(UNKNOWN_TOOL, {
      'turnwise.config.ts': 'export default { rules: { "unrecovered-error": "off" } };',
    });
    const all = await actions(it.found, CALL, { settings: other, capabilities: MODERN });
    const level = all.filter(({ title }) => title !== 'Suppress unknown-tool in Turn 1: "say why"');
    expect(level).toHaveLength(5);
    for (const { disabled, edit } of level) {
      expect([disabled?.reason, edit]).toEqual([
        expect.stringContaining('turnwise.config.ts: Turnwise does not edit code'),
        undefined,
      ]);
    }
    expect(await actions(it.found, CALL, { settings: other })).toHaveLength(1);
  });

  it('change nothing in an untrusted folder', async () => {
    await using it = await chat();
    const settings = { ...other, trusted: false };
    const all = await actions(it.found, CALL, { settings, capabilities: MODERN });
    expect(new Set(all.map(({ disabled }) => disabled?.reason))).toEqual(
      new Set(['Nothing was written: this folder is not trusted. Trust it and try again.']),
    );
    expect(all.every(({ edit }) => edit === undefined)).toBe(true);
    expect(await actions(it.found, CALL, { settings })).toEqual([]);
  });
});

describe('an edit request', () => {
  it('is refused in an untrusted folder, and nothing is written', async () => {
    await using it = await chat();
    const { results, uri } = it.found;
    const plans = plansOf(results, { settings: { trusted: false }, folders: [it.folder] });
    const refused = { error: expect.stringContaining('not trusted') };
    const rule = 'unknown-tool';
    expect(await applyPlan(await plans.planSuppression({ uri, turn: 0, rule }, 'why'))).toEqual(refused);
    expect(await applyPlan(await plans.planSeverity({ uri, rule }, 'off'))).toEqual(refused);
    expect((await nodeFileSystem.list(it.folder)).map(({ name }) => name)).toEqual([
      '.git',
      'chat.json',
      'turnwise.config.json',
    ]);
    expect(await readFile(join(it.folder, 'turnwise.config.json'), 'utf8')).toBe(QUIET['turnwise.config.json']);
  });
});

describe('a text edit', () => {
  it.each([
    ['', 'a\n', 0, 0, 0, 0, 'a\n'],
    ['a\nb\nc\n', 'a\nx\nc\n', 1, 0, 2, 0, 'x\n'],
    ['a\r\nb\r\n', 'a\r\nb\r\nc\r\n', 2, 0, 2, 0, 'c\r\n'],
    ['a', 'a\nb', 0, 0, 0, 1, 'a\nb'],
    ['a\n😀', 'a\nb', 1, 0, 1, 2, 'b'],
    ['a\na\n', 'a\na\na\n', 2, 0, 2, 0, 'a\n'],
    ['a\nb\n', 'b\n', 0, 0, 1, 0, ''],
    ['a\n', 'a\n', 1, 0, 1, 0, ''],
  ])('%j to %j', (before, after, line, character, endLine, endCharacter, newText) => {
    const edit = minimalTextEdit(before, after);
    const range = { start: { line, character }, end: { line: endLine, character: endCharacter } };
    expect(edit).toEqual({ range, newText });
    expect(applied(before, [edit])).toBe(after);
  });
});
