import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { type AgentServer, startAgentServer } from '../../support/agent-server.ts';
import { suite, type Tests } from '../../support/vscode/suite.ts';
import { boundCommand, lenses, until } from '../editor-features.ts';
import { diagnostics, edit, extension, file } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const scenario = file('refund.sim.ts');
const moved = file('refunds.sim.ts');

const CODE = `import { scenario } from 'turnwise';

scenario('refund', {
  turns: [
    {
      userMessage: 'Refund order 7',
      assertions: { toolCalls: { expected: [{ name: 'refund_order', args: { amount: 42 } }] } },
    },
  ],
  mocks: { tools: { refund_order: () => ({ ok: true }) } },
});
`;

/** What the agent refunds. */
let amount = 425;
let agent: AgentServer;

const tests: Tests = {
  async 'a scenario has lenses before it was run, also while the file is half typed'() {
    // Scenario files that were there when the folder was opened do it.
    await extension().activate();
    agent = await startAgentServer((response, body) => answer(response, body));
    const agents = { shop: { endpoint: agent.endpoint } };
    const scenarios = ['*.sim.ts', '*-check.ts'];
    await writeFile(file('turnwise.config.json').fsPath, JSON.stringify({ scenarios, simulation: { agents } }));
    await writeFile(scenario.fsPath, CODE);
    assert.deepEqual(await titles(scenario), ['3: Run', '3: Run 3 Attempts']);
    const editor = await vscode.window.showTextDocument(scenario);
    await edit(editor, (builder) => builder.insert(new vscode.Position(2, 0), "scenario('half', { turns: [\n"));
    assert.deepEqual(await titles(scenario), ['3: Run', '3: Run 3 Attempts', '4: Run', '4: Run 3 Attempts']);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  },

  async 'a file that only the configuration names has lenses too, and no other file has'() {
    const [named, other] = [file('refund-check.ts'), file('refund-notes.ts')];
    for (const { fsPath } of [named, other]) await writeFile(fsPath, CODE);
    assert.deepEqual(await titles(named), ['3: Run', '3: Run 3 Attempts']);
    assert.deepEqual(await titles(other), []);
  },

  async 'the prompt of a simulated user opens from its lens'() {
    const talk = file('talk.scenario.yaml');
    await writeFile(talk.fsPath, 'name: talk\nprofile: A customer\ngoal: order A-1001 is refunded\n');
    assert.deepEqual(await titles(talk), ['1: Run', '1: Run 3 Attempts', "1: User's Prompt"]);
    const lens = (await lenses(talk)).find(({ title }) => title === "User's Prompt");
    assert.ok(lens);
    const { command, arguments: args = [] } = boundCommand(lens.command);
    await vscode.commands.executeCommand(command, ...args);
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /^# Prompt of the simulated user: talk\n/);
    assert.match(text, /What you want: order A-1001 is refunded\n/);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  },

  async 'a run from the lens shows its result, and what was expected on the expected call'() {
    await click('Run');
    assert.deepEqual(surfaces.said, []);
    const [first] = await diagnostics(scenario, ({ length }) => length === 1);
    assert.match(
      first?.message ?? '',
      /Expected: refund_order \{"amount":42\}\nActual: refund_order \{"amount":425\}\nTrace: /,
    );
    assert.deepEqual([first?.source, first?.severity], ['Turnwise', vscode.DiagnosticSeverity.Error]);
    assert.deepEqual([first?.range.start.line, first?.range.start.character], [6, 44]);
    assert.match(first?.relatedInformation?.[0]?.location.uri.path ?? '', /\.turnwise\/runs\/.*\.session\.json$/);
    await shows((all) => all.includes('3: $(error)\u00a00 of 1 succeeded') && all.includes('3: Report'));
  },

  async 'the report of an attempt opens from the lens'() {
    await click('Report');
    await until(
      'the report',
      () => webviews(),
      (all) => all.includes('turnwise.report'),
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'several attempts are run, their result replaces the last one, and the runs can be compared'() {
    amount = 42;
    await click('Run 3 Attempts');
    await diagnostics(scenario, ({ length }) => length === 0);
    await shows((all) => all.some((title) => title.startsWith('3: $(pass)\u00a03 of 3 succeeded · pass^2 1.00 [')));
    surfaces.react(/^Open Report$/, 'Attempt 2');
    await click('Report');
    assert.ok(surfaces.asked.includes('Open Report'));
    await click('Compare');
    await until(
      'the comparison',
      () => webviews(),
      (all) => all.includes('turnwise.runs'),
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'a result is outdated after an edit, and after the edit is saved'() {
    const editor = await vscode.window.showTextDocument(scenario);
    await edit(editor, (builder) => builder.insert(new vscode.Position(0, 0), '// More to come.\n'));
    await shows((all) => all.some((title) => /^4: .* · outdated$/.test(title)));
    await editor.document.save();
    await shows((all) => all.some((title) => /^4: .* · outdated$/.test(title)));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'the palette runs the file in the editor'() {
    await vscode.window.showTextDocument(scenario);
    await vscode.commands.executeCommand('turnwise.runScenariosInFile');
    await shows((all) => all.some((title) => /^4: \$\(pass\)\u00a01 of 1 succeeded$/.test(title)));
    assert.deepEqual(surfaces.said, []);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'results follow a file that is renamed in the editor'() {
    const change = new vscode.WorkspaceEdit();
    change.renameFile(scenario, moved);
    assert.ok(await vscode.workspace.applyEdit(change));
    await shows((all) => all.some((title) => title.includes('1 of 1 succeeded')), moved);
    await rename(moved.fsPath, scenario.fsPath);
  },

  async 'an agent that is not there is an error with its reason'() {
    await agent[Symbol.asyncDispose]();
    surfaces.forget();
    await click('Run');
    const [first] = await diagnostics(scenario, ({ length }) => length > 0);
    assert.equal(first?.severity, vscode.DiagnosticSeverity.Warning);
    assert.match(first?.message ?? '', /127\.0\.0\.1/);
    await shows((all) => all.includes('4: $(question)\u00a01 attempt, success unknown'));
  },
};

export const run = suite(tests);

/** An agent that refunds what it is asked to. */
function answer(response: Parameters<Parameters<typeof startAgentServer>[0]>[0], body: Record<string, unknown>): void {
  const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'refund_order', arguments: JSON.stringify({ amount }) },
  };
  const message =
    last?.role === 'user'
      ? { role: 'assistant', content: null, tool_calls: [call] }
      : { role: 'assistant', content: 'Done.' };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ message }] }));
}

/** `line: title` of each lens. */
async function titles(uri: vscode.Uri): Promise<string[]> {
  return (await lenses(uri)).map(({ line, title }) => `${line}: ${title}`);
}

async function shows(isExpected: (titles: readonly string[]) => boolean, uri = scenario): Promise<void> {
  await until('the lenses', () => titles(uri), isExpected);
}

/** Does what a click on a lens does. */
async function click(title: string): Promise<void> {
  const all = await until(
    `the lens ${title}`,
    () => lenses(scenario),
    (found) => found.some((lens) => lens.title === title),
  );
  const lens = all.find((one) => one.title === title);
  assert.ok(lens);
  const { command, arguments: args = [] } = boundCommand(lens.command);
  await vscode.commands.executeCommand(command, ...args);
}

/** The kinds of open panels. */
function webviews(): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputWebview ? [input.viewType.replace('mainThreadWebview-', '')] : [],
  );
}
