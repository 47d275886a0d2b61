import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { reply, suite } from '../../support/vscode/suite.ts';
import { codeOf, evaluate, hints, hoverAt, lensLines, until, write } from '../editor-features.ts';
import { diagnostics, extension, file, servers } from '../extension.ts';

const refund = file('refund.json');

/** What is found in `refund.json`, by the lines on which it stands. */
const REPEATED = { line: 61, code: 'error-repeated-unchanged' };
const UNGROUNDED = { line: 49, code: 'ungrounded-argument' };
/** Observations: no diagnostics, but actions on the line of their turn. */
const OBSERVED = ['failure-at-end', 'many-failed-calls', 'unrecovered-error'];
const ALL = [REPEATED, UNGROUNDED].map(({ code }) => code).sort();

/** What a person does about a finding. */
export const run = suite({
  async 'shows nothing in ordinary JSON'() {
    await vscode.window.showTextDocument(refund);
    assert.deepEqual(await lensLines(refund), []);
    assert.deepEqual(await hints(refund), []);
    assert.deepEqual(await hoverAt(refund, 61, 10), []);
    assert.deepEqual(await actionsAt(refund, 61, 10), []);
    assert.equal(extension().isActive, false);
    assert.deepEqual(servers(), []);
  },

  async 'offers actions on a finding'() {
    await evaluate(refund);
    await isFound(refund, ALL);
    const actions = await actionsAt(refund, 61, 10);
    assert.deepEqual(
      actions.map(({ title }) => title),
      [
        'Suppress This Finding…',
        'Set Severity of error-repeated-unchanged…',
        'Open Documentation of error-repeated-unchanged',
      ],
    );
    for (const { kind, edit } of actions) {
      assert.equal(kind?.value, vscode.CodeActionKind.QuickFix.value);
      assert.equal(edit, undefined);
    }
    // To the end of its value, and not behind it.
    assert.equal((await actionsAt(refund, 65, 10)).length, 3);
  },

  async 'offers the actions of all findings on the line of a turn, and none on a turn without findings'() {
    const titles = (await actionsAt(refund, 44, 5)).map(({ title }) => title);
    assert.deepEqual(
      titles.filter((title) => title.startsWith('Suppress')).sort(),
      [...ALL, ...OBSERVED].sort().map((rule) => `Suppress ${rule} in Turn 2…`),
    );
    assert.deepEqual(await actionsAt(refund, 30, 5), []);
    assert.deepEqual(await actionsAt(refund, 35, 20), []);
    assert.deepEqual(await actionsAt(refund, 2, 5), []);
    assert.deepEqual(await actionsAt(file('delivery.json'), 2, 5), []);
  },

  async 'does not return quick fixes for requests of other kinds'() {
    assert.deepEqual(await actionsAt(refund, 61, 10, vscode.CodeActionKind.Refactor), []);
    assert.equal((await actionsAt(refund, 61, 10, vscode.CodeActionKind.QuickFix)).length, 3);
  },

  async 'does not suppress a finding without a reason'() {
    const sidecar = file('refund.turnwise.json');
    reply(null);
    await choose(refund, 61, /^Suppress/);
    assert.equal(existsSync(sidecar.fsPath), false);
    await isFound(refund, ALL);
  },

  async 'suppresses a finding with a reason in the sidecar, and shows it again after undo'() {
    const sidecar = file('refund.turnwise.json');
    reply('the shop retries itself');
    await choose(refund, 61, /^Suppress/);
    await isFound(refund, [UNGROUNDED.code]);
    const written = await readFile(sidecar.fsPath, 'utf8');
    const suppression = { rule: REPEATED.code, reason: 'the shop retries itself' };
    assert.deepEqual(JSON.parse(written), { turns: [{ index: 1, suppressions: [suppression] }] });
    assert.deepEqual(await lensLines(refund), [
      '1: ! 1 problem, low: ungrounded argument: refund_order (turn 2) · risk Low · Report',
      '44: ✗ ungrounded argument: refund_order',
    ]);

    reply('as it was said');
    await choose(refund, 49, /^Suppress/);
    await isFound(refund, []);
    const document = await vscode.workspace.openTextDocument(sidecar);
    await until(
      'both to be there',
      () => document.getText(),
      (text) => /as it was said/.test(text),
    );
    const { turns } = JSON.parse(document.getText());
    const other = { rule: UNGROUNDED.code, reason: 'as it was said' };
    assert.deepEqual(turns, [{ index: 1, suppressions: [suppression, other] }]);

    // What the file was before is a save away, and saving it evaluates the trace.
    await vscode.window.showTextDocument(document);
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(sidecar, all, '{}\n');
    await vscode.workspace.applyEdit(edit);
    await document.save();
    await isFound(refund, ALL);
  },

  async 'writes the severity of a rule into the JSON configuration and keeps its formatting'() {
    const written = '{\n\t"metrics": ["tool_correctness", "turn_risk"],\n\t"gates": { "failOn": "high" }\n}\n';
    const configuration = await write('json/turnwise.config.json', written);
    const uri = await write('json/refund.json', await readFile(refund.fsPath, 'utf8'));
    await evaluate(uri);
    await isFound(uri, ALL);
    reply('high');
    await choose(uri, 61, /^Set Severity of/);
    const changed = () =>
      vscode.languages.getDiagnostics(uri).find((diagnostic) => codeOf(diagnostic) === REPEATED.code)?.severity;
    await until('an error', changed, (severity) => severity === vscode.DiagnosticSeverity.Error);
    const after = await readFile(configuration.fsPath, 'utf8');
    assert.equal(
      after,
      '{\n\t"metrics": ["tool_correctness", "turn_risk"],\n\t"gates": { "failOn": "high" },\n' +
        '\t"rules": {\n\t\t"error-repeated-unchanged": "high"\n\t}\n}\n',
    );
    assert.match((await lensLines(uri))[0] ?? '', /^1: ✗ Failed/);
  },

  async 'writes the severity of a rule into YAML and keeps its comments'() {
    const written = '# ours\nmetrics: [tool_correctness] # two are enough\nrules:\n  # for now\n  no-answer: off\n';
    const configuration = await write('yaml/turnwise.config.yaml', written);
    const uri = await write('yaml/refund.json', await readFile(refund.fsPath, 'utf8'));
    await evaluate(uri);
    await isFound(uri, ALL);
    reply('off');
    await choose(uri, 61, /^Set Severity of/);
    await isFound(uri, [UNGROUNDED.code]);
    const after = await readFile(configuration.fsPath, 'utf8');
    assert.equal(after, `${written}  error-repeated-unchanged: off\n`);
  },

  async 'creates a configuration in the open folder if there is none'() {
    reply('critical');
    await choose(refund, 49, /^Set Severity of/);
    const ofRule = () =>
      vscode.languages.getDiagnostics(refund).find((diagnostic) => codeOf(diagnostic) === UNGROUNDED.code);
    await until('an error', ofRule, (diagnostic) => diagnostic?.severity === vscode.DiagnosticSeverity.Error);
    const configuration = JSON.parse(await readFile(file('turnwise.config.json').fsPath, 'utf8'));
    assert.deepEqual(configuration, { rules: { 'ungrounded-argument': 'critical' } });
  },

  async 'opens the documentation of a rule, which every rule has'() {
    await choose(refund, 49, /^Open Documentation of/);
    const isOpen = () =>
      vscode.window.tabGroups.all.some(({ activeTab }) => /ungrounded-argument/.test(activeTab?.label ?? ''));
    await until('its page', isOpen, (open) => open);
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.ok(tab?.input instanceof vscode.TabInputWebview, 'It is not shown as a page.');
  },
});

/** What the light bulb lists of ours there; lines and columns are counted from one. */
async function actionsAt(
  uri: vscode.Uri,
  line: number,
  column: number,
  kind?: vscode.CodeActionKind,
): Promise<vscode.CodeAction[]> {
  await vscode.workspace.openTextDocument(uri);
  const at = new vscode.Position(line - 1, column - 1);
  const all = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    uri,
    new vscode.Range(at, at),
    kind?.value,
  );
  // VS Code has some for all JSON.
  return all.filter(({ command }) => command?.command.startsWith('turnwise.'));
}

/** Chooses an action at the beginning of a line's value. Resolves when all has been done. */
async function choose(uri: vscode.Uri, line: number, title: RegExp): Promise<void> {
  const action = (await actionsAt(uri, line, 10)).find((candidate) => title.test(candidate.title));
  assert.ok(action?.command, `There is no action ${title} on line ${line}.`);
  await vscode.commands.executeCommand(action.command.command, ...(action.command.arguments ?? []));
}

async function isFound(uri: vscode.Uri, codes: readonly string[]): Promise<void> {
  await diagnostics(uri, (diagnostics) => diagnostics.map(codeOf).sort().join() === [...codes].sort().join());
}
