import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { until } from '../editor-features.ts';
import { extension, file, waitFor } from '../extension.ts';
import { TestRunRecorder } from '../test-runs.ts';
import { UiRecorder } from '../ui-recorder.ts';

const ui = new UiRecorder();
const ORDERS = 'orders.sim.mjs';
const REMOTE = 'remote.sim.mjs';

let recorder: TestRunRecorder;

export const run = suite({
  async 'scenarios appear below their files, where they stand'() {
    await extension().activate();
    recorder = new TestRunRecorder();
    await vscode.commands.executeCommand('workbench.view.testing.focus');
    await until('the files', labels, (found) => found.length >= 3);
    assert.deepEqual(labels(), [ORDERS, REMOTE, 'waiting.sim.mjs']);
    await vscode.window.showTextDocument(file(ORDERS));
    await until(
      'the scenarios',
      () => childLabels(ORDERS),
      (found) => found.length === 4,
    );
    const line = item('find the right order').range?.start.line ?? -1;
    const text = await readFile(file(ORDERS).fsPath, 'utf8');
    assert.match(text.split('\n')[line] ?? '', /^scenario\('find the right order'/);
  },

  async 'a run of a file passes, fails and errs, with its attempts, messages and output'() {
    await vscode.commands.executeCommand('testing.runCurrentFile');
    const { outcomes, messages, output } = await recorder.ended(0);
    assert.equal(outcomes.get('find an order'), 'passed');
    assert.equal(outcomes.get('find the right order'), 'failed');
    assert.equal(outcomes.get('reach a broken agent'), 'errored');
    assert.equal(outcomes.get('find an order three times'), 'passed');
    assert.equal(outcomes.get('Attempt 3'), 'passed');
    assert.equal(outcomes.has('wait for a minute'), false);
    assert.equal(item('find an order three times').children.size, 3);
    assert.match(item('find an order three times').description ?? '', /^3\/3 · pass\^/);
    assert.match(output, /looked up A-1001\r\n/);
    assert.match(output, /\d+ of 6 attempts finished/);

    const [comparison, text] = messages.get('find the right order') ?? [];
    assert.match(String(comparison?.expectedOutput), /get_order/, textOf(messages.get('find the right order')));
    assert.equal(text?.expectedOutput, undefined);
    for (const part of [/get_order/, /Expected: /, /\.session\.json:\d+/]) assert.match(String(text?.message), part);
    const document = await vscode.workspace.openTextDocument(file(ORDERS));
    assert.ok(comparison?.location);
    const at = document.offsetAt(comparison.location.range.start);
    assert.ok(at > document.getText().indexOf("scenario('find the right order'"));
    assert.ok(at < document.getText().indexOf("scenario('reach a broken agent'"));
    assert.match(String(messages.get('reach a broken agent')?.[0]?.message), /The shop is closed\./);
  },

  async 'a message opens the report at its turn'() {
    const [message] = recorder.runs[0]?.messages.get('find the right order') ?? [];
    await vscode.commands.executeCommand('turnwise.openAttemptReport', {
      test: item('find the right order'),
      message: { message: message?.message },
    });
    const { tabGroups } = vscode.window;
    await waitFor(
      'the report',
      [tabGroups.onDidChangeTabs],
      () => tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.startsWith('Report: '))) || undefined,
    );
    assert.deepEqual(ui.said, []);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Stop ends a run within a second and leaves its scenario without a result'() {
    const nth = recorder.runs.length;
    await vscode.window.showTextDocument(file('waiting.sim.mjs'));
    await until(
      'its scenario',
      () => childLabels('waiting.sim.mjs'),
      (found) => found.length === 1,
    );
    void vscode.commands.executeCommand('testing.runCurrentFile');
    await recorder.once(nth, 'its start', ({ outcomes }) => outcomes.get('wait for a minute') === 'started');
    const stoppedAt = performance.now();
    await vscode.commands.executeCommand('testing.cancelRun');
    const { outcomes, endedAt } = await recorder.ended(nth);
    assert.ok((endedAt ?? Infinity) - stoppedAt < 1000, `It took ${(endedAt ?? 0) - stoppedAt} ms.`);
    assert.equal(outcomes.get('wait for a minute'), 'started');
  },

  async 'Tool Coverage shows the tools that a run called where they are defined'() {
    const nth = recorder.runs.length;
    await runProfile('Tool Coverage', [fileItem(ORDERS)]);
    const { coverage, output } = await recorder.ended(nth);
    assert.deepEqual(
      coverage.map(({ uri, declarationCoverage: tools }) => [uri.toString(), tools?.covered, tools?.total]),
      [[file(ORDERS).toString(), 1, 1]],
    );
    assert.match(output, /Clauses of the policy are not measured/);
    const [shown] = coverage;
    const profile = extension().exports.tests.profiles.find(({ label }) => label === 'Tool Coverage');
    const { token } = new vscode.CancellationTokenSource();
    assert.ok(shown);
    const details = await profile?.loadDetailedCoverage?.({} as vscode.TestRun, shown, token);
    const [declaration] = details ?? [];
    assert.ok(declaration instanceof vscode.DeclarationCoverage);
    assert.equal(declaration.name, 'get_order');
    assert.ok(Number(declaration.executed) >= 4);
  },

  async 'a continuous run starts when a scenario file is saved'() {
    const nth = recorder.runs.length;
    const [profile] = extension().exports.tests.profiles;
    assert.ok(profile?.supportsContinuousRun);
    const stop = new vscode.CancellationTokenSource();
    const include = [fileItem(ORDERS)];
    const going = profile.runHandler(new vscode.TestRunRequest(include, [], profile, true), stop.token);
    assert.equal(recorder.runs.length, nth);
    const before = await readFile(file(ORDERS).fsPath, 'utf8');
    await writeFile(file(ORDERS).fsPath, `${before}\n`);
    const { outcomes } = await recorder.ended(nth);
    assert.equal(outcomes.get('find an order'), 'passed');
    await writeFile(
      file('turnwise.config.mjs').fsPath,
      `${await readFile(file('turnwise.config.mjs').fsPath, 'utf8')}\n`,
    );
    await recorder.ended(nth + 1);
    stop.cancel();
    await going;
  },

  async 'Replay answers as the agent did in the last run, and asks it nothing'() {
    const answer = { role: 'assistant', content: 'Your order is on its way.' };
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: answer, finish_reason: 'stop' }] }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const configuration = file('turnwise.config.mjs').fsPath;
    const before = await readFile(configuration, 'utf8');
    await writeFile(configuration, before.replace('127.0.0.1:9/', `127.0.0.1:${address.port}/`));
    const nth = recorder.runs.length;
    await runProfile('Run', [fileItem(REMOTE)]);
    const { outcomes, messages } = await recorder.ended(nth);
    assert.equal(outcomes.get('ask a remote agent'), 'passed', textOf(messages.get('ask a remote agent')));
    assert.equal(requests, 1);
    server.close();
    await runProfile('Replay', [fileItem(REMOTE)]);
    const replayed = await recorder.ended(nth + 1);
    assert.equal(replayed.outcomes.get('ask a remote agent'), 'passed');
    assert.equal(requests, 1);
    await runProfile('Run', [fileItem(REMOTE)]);
    assert.equal((await recorder.ended(nth + 2)).outcomes.get('ask a remote agent'), 'errored');
  },

  async 'Compare Agents runs the scenarios against both and opens the overview of their sessions'() {
    const nth = recorder.runs.length;
    ui.react(/^Compare Agents$/, 'shop\nother');
    await runProfile('Compare Agents…', [item('find an order')]);
    const { outcomes } = await recorder.ended(nth);
    assert.equal(outcomes.get('find an order'), 'passed');
    const attempts = [...item('find an order').children].map(([, { label }]) => label);
    assert.deepEqual(attempts, ['Attempt 1 · shop', 'Attempt 1 · other']);
    const { tabGroups } = vscode.window;
    await waitFor(
      'the overview',
      [tabGroups.onDidChangeTabs],
      () => tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.startsWith('Sessions'))) || undefined,
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Debug stops at a breakpoint in the handler of the agent'() {
    const configuration = file('turnwise.config.mjs');
    const text = await readFile(configuration.fsPath, 'utf8');
    const line = text.split('\n').findIndex((one) => one.includes('const request ='));
    const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(configuration, new vscode.Position(line, 0)));
    vscode.debug.addBreakpoints([breakpoint]);
    const nth = recorder.runs.length;
    const running = runProfile('Debug', [item('find an order')]);
    const frame = await waitFor('the breakpoint', [vscode.debug.onDidChangeActiveStackItem], () =>
      vscode.debug.activeStackItem instanceof vscode.DebugStackFrame ? vscode.debug.activeStackItem : undefined,
    );
    const { stackFrames } = await frame.session.customRequest('stackTrace', { threadId: frame.threadId, levels: 1 });
    assert.equal(stackFrames[0].line, line + 1);
    assert.equal(vscode.Uri.parse(stackFrames[0].source.path).path, configuration.path);
    vscode.debug.removeBreakpoints([breakpoint]);
    await vscode.commands.executeCommand('workbench.action.debug.continue');
    await running;
    const { outcomes } = await recorder.ended(nth);
    assert.equal(outcomes.get('find an order'), 'passed');
    await until(
      'the end of the session',
      () => vscode.debug.activeDebugSession,
      (session) => session === undefined,
    );
  },

  async 'results of a renamed file move with it, in a run without focus that is not stored'() {
    const nth = recorder.runs.length;
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(file(REMOTE), file('renamed.sim.mjs'));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the new name', labels, (found) => found.includes('renamed.sim.mjs') && !found.includes(REMOTE));
    await vscode.window.showTextDocument(file('renamed.sim.mjs'));
    const { outcomes, isPersisted, request } = await recorder.ended(nth);
    assert.equal(outcomes.get('ask a remote agent'), 'errored');
    assert.equal(isPersisted, false);
    assert.equal(request.preserveFocus, true);
  },

  async 'the runTests tool of coding agents gets the full text of a failure'() {
    const chat = vscode.workspace.getConfiguration('chat');
    await chat.update('disableAIFeatures', false, vscode.ConfigurationTarget.Global);
    await chat.update('tools.global.autoApprove', true, vscode.ConfigurationTarget.Global);
    // Without it, VS Code asks in a dialog whether the setting is meant.
    await vscode.commands.executeCommand('setContext', 'vscode.chat.tools.global.autoApprove.testMode', true);
    const tool = await until(
      'the tool',
      () => vscode.lm.tools.map(({ name }) => name),
      (names) => names.includes('runTests'),
    );
    assert.ok(tool);
    const testNames = ['find the right order'];
    // Relative to the folder: with a server, VS Code takes an absolute path for one of the browser's machine.
    for (const input of [{ testNames }, { files: [ORDERS], testNames }]) {
      const { content } = await vscode.lm.invokeTool('runTests', { input, toolInvocationToken: undefined });
      const text = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
      assert.match(text, /failed=1/);
      assert.match(text, /<testFailure name="find the right order"/);
      assert.match(text, /Expected: .*get_order/);
      assert.match(text, /\.session\.json:\d+/);
    }
  },
});

function labels(): string[] {
  const { items } = extension().exports.tests.controller;
  return [...items].map(([, { label }]) => label).sort();
}

function fileItem(label: string): vscode.TestItem {
  const found = [...extension().exports.tests.controller.items].find(([, one]) => one.label === label)?.[1];
  assert.ok(found, `There is no file ${label}.`);
  return found;
}

function childLabels(label: string): string[] {
  return [...fileItem(label).children].map(([, one]) => one.label);
}

/** A scenario of the file about orders. */
function item(label: string): vscode.TestItem {
  const found = [...fileItem(ORDERS).children].find(([, one]) => one.label === label)?.[1];
  assert.ok(found, `There is no scenario ${label}.`);
  return found;
}

function textOf(messages: readonly vscode.TestMessage[] = []): string {
  return messages.map(({ message }) => String(message)).join('\n');
}

async function runProfile(label: string, include: readonly vscode.TestItem[]): Promise<void> {
  const profile = extension().exports.tests.profiles.find((one) => one.label === label);
  assert.ok(profile, `There is no profile ${label}.`);
  const { token } = new vscode.CancellationTokenSource();
  await profile.runHandler(new vscode.TestRunRequest(include, [], profile), token);
}
