import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { startStubModels } from '../../support/stub-models.ts';
import { suite } from '../../support/vscode/suite.ts';
import { diagnostics, file, lenses, rows, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';
import { welcome } from '../welcome-views.ts';

const surfaces = new UiRecorder();
const refund = file('refund.json');
/** Is there once code of the folder has run. */
const mark = file('has-run').fsPath;
const code = file('turnwise.config.mjs').fsPath;
const configuration = file('turnwise.config.json').fsPath;

const CODE = `
import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(mark)}, '');
export default { rules: { 'error-repeated-unchanged': 'off' } };
`;

/** A folder that nobody trusts: it is looked at, and decides nothing. */
export const run = suite({
  async 'says in the view what is disabled and how to enable it'() {
    assert.equal(vscode.workspace.isTrusted, false);
    await vscode.commands.executeCommand('turnwise.results.focus');
    await waitFor('somebody to have looked', [surfaces.onDidChange], () => {
      return surfaces.contextOf('turnwise.hasScanned') === true || undefined;
    });
    const texts = welcome((key) => (key === 'workspaceFolderCount' ? 1 : surfaces.contextOf(key)));
    assert.equal(texts.length, 1);
    assert.match(
      texts[0] ?? '',
      /^This workspace is not trusted: .*models, custom metrics and configuration code are disabled/,
    );
    assert.match(texts[0] ?? '', /\(command:workbench\.trust\.manage\)$/);
  },

  async 'shows the findings of rules at their locations'() {
    await vscode.commands.executeCommand('turnwise.evaluate', refund, [refund]);
    await diagnostics(refund, (diagnostics) => diagnostics.some(isRepeated));
    assert.deepEqual(surfaces.said, []);
    assert.match((await lenses(refund))[0] ?? '', /2 problems/);
    await vscode.commands.executeCommand('turnwise.openReport', (await rows())[0]?.node);
    await waitFor('the report', [surfaces.onDidChange], () =>
      surfaces.posted.find((post) => post.includes('"state":"')),
    );
  },

  async 'does not run code configuration, and says so'() {
    await writeFile(code, CODE);
    surfaces.forget();
    await vscode.commands.executeCommand('turnwise.evaluate', refund);
    const [message, ...others] = surfaces.said;
    assert.match(message?.text ?? '', /^turnwise\.config\.mjs: .*which does not run in an untrusted folder\. Trust/);
    assert.deepEqual(others, []);
    await diagnostics(refund, (diagnostics) => diagnostics.some(isRepeated));
    assert.equal(existsSync(mark), false);
    await rm(code);
  },

  async 'uses no model and reads no key, also for custom metrics, and says so'() {
    await using stub = await startStubModels();
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai };
    const custom = [{ name: 'tone_of_voice', rubric: 'Is the agent kind?' }];
    await writeFile(configuration, JSON.stringify({ judge, custom }));
    surfaces.forget();
    for (let times = 0; times < 2; times += 1) await vscode.commands.executeCommand('turnwise.evaluate', refund);
    const sentence =
      'This folder is not trusted, so no model was used (openai:m) and no key was read. Trust the folder to use them.';
    assert.deepEqual(
      surfaces.said.map(({ text }) => text),
      [sentence],
    );
    assert.deepEqual(stub.requests, []);
    await diagnostics(refund, (diagnostics) => diagnostics.some(isRepeated));
    await rm(configuration);
  },

  async 'does not allow choosing a judge'() {
    surfaces.forget();
    surfaces.react(/^Choose a judge model/, 'Rules only');
    await vscode.commands.executeCommand('turnwise.chooseJudge');
    assert.match(surfaces.said[0]?.text ?? '', /not trusted/);
    assert.equal(existsSync(configuration), false);
  },

  async 'receives no traces, and says why'() {
    surfaces.forget();
    await vscode.commands.executeCommand('turnwise.watchAgent');
    assert.deepEqual(
      surfaces.said.map(({ text, buttons }) => [text, buttons]),
      [['This folder is not trusted, so no traces are received. Trust it to watch your agent.', ['Manage Trust']]],
    );
    assert.equal(existsSync(file('.turnwise').fsPath), false);
  },

  async 'tells coding agents nothing, and says why'() {
    const input = { path: 'refund.json' };
    const called = vscode.lm.invokeTool('turnwise_evaluate_trace', { input, toolInvocationToken: undefined });
    await assert.rejects(async () => await called, /This folder is not trusted, so agents get no answers about it\./);
  },

  async 'executes nothing of the folder, and keeps its results'() {
    assert.equal(existsSync(mark), false);
    const [session] = await rows();
    assert.equal(session?.item.label, 'refund.json');
    assert.match(surfaces.status?.text ?? '', / · rules only$/);
  },
});

function isRepeated({ code }: vscode.Diagnostic): boolean {
  return typeof code === 'object' && code.value === 'error-repeated-unchanged';
}
