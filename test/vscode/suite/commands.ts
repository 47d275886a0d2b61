import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { response, startStubModels, wrongKey } from '../../support/stub-models.ts';
import { ended } from '../../support/vscode/processes.ts';
import { suite, type Tests } from '../../support/vscode/suite.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import { boundCommand } from '../editor-features.ts';
import { diagnostics, extension, file, folder, type Row, row, rows, servers, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const refund = file('refund.json');
const delivery = file('delivery.json');

/** With a gate that one of the two traces does not meet. */
const GATED = { gates: { failOn: 'medium' } };

/** What they do is tested in the suite about runs. */
const RUN_COMMANDS = [
  'compareWithPrevious',
  'compareWith',
  'compareRuns',
  'showTrends',
  'setAsBaseline',
  'renameRun',
  'exportRun',
  'deleteRuns',
  'copyRunId',
];

/** Each command, called as each menu calls it, and what comes of it. */
const tests: Tests = {
  async 'is inactive until the first command'() {
    assert.equal(extension().isActive, false);
  },

  async 'Runs: commands about them say what to do before the first one'() {
    for (const command of RUN_COMMANDS) {
      await refuses(`turnwise.${command}`, [], /^No runs are recorded yet\. Evaluate a trace or a folder first\.$/);
    }
  },

  async 'Label Results: says what to do before a judge took part in a run'() {
    await refuses(
      'turnwise.labelResults',
      [],
      /^No recorded run has results of a judge\. Choose a judge and evaluate traces first\.$/,
      ['Choose Judge…'],
    );
  },

  async 'Runs: commands of rows and panels do nothing without one'() {
    for (const command of ['rejudge', 'openRunsPage']) await quietly(`turnwise.${command}`, {});
  },

  async 'Scenarios: commands of lenses do nothing without a scenario'() {
    for (const command of ['runScenario', 'openScenarioReport', 'openUserPrompt']) {
      await quietly(`turnwise.${command}`, { uri: 'x' });
    }
    await refuses(
      'turnwise.compareScenario',
      [],
      /^The scenario has no two recorded runs to compare\. Run it again\.$/,
    );
  },

  async 'Run Scenarios in File: asks for a scenario file'() {
    await vscode.window.showTextDocument(delivery);
    await refuses('turnwise.runScenariosInFile', [], /^Open a scenario file first\. It is named like refund\.sim\.ts/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Evaluate Trace: evaluates a file from the Explorer'() {
    await evaluates([refund, [refund]], 'refund.json');
  },

  async 'Evaluate Trace: evaluates all selected files from the Explorer'() {
    await evaluates([delivery, [delivery, refund]], 'refund.json', 'delivery.json');
  },

  async 'Evaluate Trace: works from the title and the tab of an editor'() {
    await evaluates([refund, { groupId: 0, editorIndex: 0 }], 'refund.json');
  },

  async 'Evaluate Trace: evaluates the active editor from the palette'() {
    await vscode.window.showTextDocument(delivery);
    await evaluates([], 'delivery.json');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Evaluate Trace: asks for a file without an active editor, and does nothing on Escape'() {
    surfaces.react(/^Evaluate Trace$/, refund.fsPath);
    await evaluates([], 'refund.json');
    assert.deepEqual(surfaces.asked, ['Evaluate Trace']);
    await evaluates([]);
    assert.deepEqual(surfaces.asked, ['Evaluate Trace']);
    assert.deepEqual(surfaces.said, []);
  },

  async 'Evaluate Trace: shows an error for a document that is not a file'() {
    const document = await vscode.workspace.openTextDocument({ language: 'json', content: '[]' });
    await vscode.window.showTextDocument(document);
    await refuses('turnwise.evaluate', [], /^Save .+ to evaluate it\.$/);
    await refuses(
      'turnwise.evaluate',
      [vscode.Uri.parse('memfs:/a.json')],
      /is not on disk \(memfs:\)\. Save a copy to evaluate it\.$/,
    );
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  },

  async 'Evaluate Trace: reports a file that is not a trace and a missing file, and lists both'() {
    await writeFile(file('package.json').fsPath, '{ "name": "shop" }');
    const [other, nowhere] = [file('package.json'), file('nowhere.json')];
    await evaluates([other, [other, nowhere]], 'Unreadable');
    const [group] = await rows();
    assert.deepEqual(
      (await rows(group)).map(({ item }) => item.label),
      ['nowhere.json', 'package.json'],
    );
    assert.match(surfaces.said[0]?.text ?? '', /^(package|nowhere)\.json: .+\. \(1 more in the Results view\)$/);
    assert.deepEqual(kinds(), ['error']);
    await execute('turnwise.clear');
    await rm(file('package.json').fsPath);
  },

  async 'Evaluate Trace: says that a configuration is not a trace, and lists nothing'() {
    const configuration = file('turnwise.config.json');
    await writeFile(configuration.fsPath, '{}');
    await evaluates([configuration]);
    assert.deepEqual(
      surfaces.said.map(({ text }) => text),
      ['No traces found in turnwise.config.json. Nothing was evaluated.'],
    );
    assert.deepEqual(kinds(), ['warning']);
    await rm(configuration.fsPath);
  },

  async 'Evaluate Traces in Folder: works from the Explorer and the palette'() {
    await evaluatesFolder([folder(), [folder()]]);
    await evaluatesFolder([]);
  },

  async 'Evaluate Trace: evaluates the file of a row'() {
    const [session] = await rows();
    const [failure] = await rows(session);
    for (const { node } of [session, failure].flatMap((row) => row ?? []))
      await evaluates([node, [node]], 'refund.json');
  },

  async 'Evaluate Failed: evaluates only files with failed sessions'() {
    await refuses('turnwise.evaluateFailed', [], /^Nothing to evaluate\./);
    await gated();
    await evaluatesFolder([]);
    surfaces.forget();
    await execute('turnwise.evaluateFailed');
    assert.deepEqual(surfaces.said, []);
    assert.ok(surfaces.above.some((words) => words?.startsWith('Evaluating')));
    assert.equal(surfaces.contextOf('turnwise.evaluating'), false);
  },

  async 'Evaluate All: evaluates all files with results'() {
    await rm(file('turnwise.config.json').fsPath);
    await row('the change to be seen', ({ description }) =>
      /outdated: configuration changed/.test(String(description)),
    );
    await execute('turnwise.evaluateAll');
    await row(
      'a fresh row',
      ({ label, description }) => label === 'refund.json' && /^2 problems/.test(String(description)),
    );
    assert.equal(surfaces.said.length, 0);
  },

  async 'Stop Evaluation: does nothing when no evaluation is running'() {
    await quietly('turnwise.stop');
  },

  async 'Group by Verdict and Group by File: are remembered for the workspace'() {
    await gated();
    await evaluatesFolder([]);
    await quietly('turnwise.groupByOutcome');
    assert.deepEqual(await labels(), ['Failed', 'No Problems Found']);
    assert.equal(surfaces.contextOf('turnwise.grouping'), 'outcome');
    const [failed] = await rows();
    assert.deepEqual(
      (await rows(failed)).map(({ item }) => item.label),
      ['Where is my order A-1001?'],
    );
    await quietly('turnwise.groupByFile');
    await quietly('turnwise.sortByName');
    assert.deepEqual(await labels(), ['delivery.json', 'refund.json']);
    await quietly('turnwise.showProblemsOnly');
    assert.deepEqual(await labels(), ['refund.json']);
    await quietly('turnwise.showAll');
    await quietly('turnwise.sortByRisk');
    await quietly('turnwise.sortByOutcome');
    assert.deepEqual(await labels(), ['refund.json', 'delivery.json']);
    assert.equal(surfaces.contextOf('turnwise.grouping'), 'file');
  },

  async 'shows the verdict and the judge in the status bar, which opens the results'() {
    assert.equal(surfaces.statusItems.length, 1);
    assert.equal(surfaces.status?.text, 'Turnwise: 1 failed · 1 without problems · rules only');
    assert.equal(surfaces.status.command, 'turnwise.results.focus');
  },

  async 'Copy: copies one row or several'() {
    const [session] = await rows();
    const [failure] = await rows(session);
    assert.ok(session && failure);
    await quietly('turnwise.copy', session.node, undefined);
    const one = await vscode.env.clipboard.readText();
    assert.match(one, /^refund\.json:1: refund\.json: Failed: /);
    await quietly('turnwise.copy', session.node, [session.node, failure.node]);
    assert.match(
      await vscode.env.clipboard.readText(),
      /^refund\.json:1: refund\.json: Failed: .*\nrefund\.json:\d+: Turn 2: /,
    );
    await quietly('turnwise.copy');
    assert.notEqual(await vscode.env.clipboard.readText(), '');
  },

  async 'Open JSON: opens a session and a problem at their locations, and keeps the editor open'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const [session] = await rows();
    const [failure] = await rows(session);
    assert.ok(session && failure);
    await quietly('turnwise.openJson', failure.node, [failure.node]);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), refund.toString());
    const found = await diagnostics(refund, (some) => some.length > 0);
    assert.equal(editor.selection.isEmpty, true);
    assert.ok(found.some(({ range }) => range.start.isEqual(editor.selection.active)));
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview, false);
    await quietly('turnwise.openJson');
  },

  async 'Open Report: works from an editor title, a row, a lens and the palette'() {
    const [session] = await rows();
    assert.ok(session);
    await opensReport([refund, { groupId: 0 }], 'Report: refund.json');
    await opensReport([session.node, [session.node]], 'Report: refund.json');
    const [lens] = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', refund, 9);
    assert.ok(lens?.command);
    const { command, arguments: args = [] } = boundCommand(lens.command);
    assert.equal(command, 'turnwise.openReport');
    await opensReport(args, 'Report: refund.json');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    surfaces.react(/^Open Report$/, 'When does order B-2002 arrive?');
    await opensReport([], 'Report: delivery.json');
    await quietly('turnwise.keepReportOpen');
    await quietly('turnwise.openReportToSide', refund);
    await quietly('turnwise.showSessions');
    await quietly('turnwise.showAllSessions');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Open Report at the Turn: says what to do without an attempt'() {
    const item = vscode.tests.createTestController('of a test', 'Test').createTestItem('a', 'a');
    for (const clicked of [undefined, item, { test: item, message: { message: 'It failed.' } }]) {
      await refuses('turnwise.openAttemptReport', [clicked], /^There is no report yet\. Run the scenario first\.$/);
    }
  },

  async 'Copy and Show Turn: take their turn from the context of a report'() {
    await opensReport([refund], 'Report: refund.json');
    const session = await sessionOf(refund);
    await quietly('turnwise.copyTurn', { session, turn: 1, webviewSection: 'turn' });
    assert.match(await vscode.env.clipboard.readText(), /It arrived broken\. Please refund it\./);
    await quietly('turnwise.copySession', { session });
    assert.match(await vscode.env.clipboard.readText(), /Where is my order A-1001\?/);
    await quietly('turnwise.showTurn', { session, turn: 1 });
    const editor = await waitFor('the turn in its file', [vscode.window.onDidChangeTextEditorSelection], () => {
      return vscode.window.visibleTextEditors.find(({ document }) => document.uri.path === refund.path);
    });
    assert.match(editor.document.lineAt(editor.selection.active).text, /It arrived broken/);
    for (const command of ['copyTurn', 'copySession', 'showTurn']) await quietly(`turnwise.${command}`, { other: 1 });
  },

  async 'Add to Tests: opens an unsaved scenario at its blank, from a row, a report and the palette'() {
    await opensReport([refund], 'Report: refund.json');
    const session = await sessionOf(refund);
    assert.equal(surfaces.contextOf('turnwise.hasDraftedScenario'), undefined);
    await opensScenario('turnwise.addToTests', [{ session, turn: 1, webviewSection: 'turn' }], /# TODO: what should/);
    await opensScenario('turnwise.addToTests', [(await failureOf('refund.json')).node], /# TODO: what should/);
    await opensReport([refund], 'Report: refund.json');
    await opensScenario('turnwise.addToTests', [], /# TODO: what should/);
    assert.equal(surfaces.contextOf('turnwise.hasDraftedScenario'), true);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'New Scenario: opens an unsaved scenario for a kind of agent, and nothing on Escape'() {
    await vscode.window.showTextDocument(refund);
    surfaces.react(/^New Scenario$/, 'HTTP Agent');
    await opensScenario('turnwise.newScenario', [], /^# Add your agent to turnwise\.config\.json first:$/);
    surfaces.react(/^New Scenario$/, 'Handler');
    await opensScenario(
      'turnwise.newScenario',
      [],
      /^\/\/ Rewrite turnwise\.config\.json as turnwise\.config\.ts first/,
    );
    const before = vscode.workspace.textDocuments.length;
    await quietly('turnwise.newScenario');
    assert.equal(vscode.workspace.textDocuments.length, before);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Open Formatted Copy: works from the palette, and explains what to do without an editor'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await refuses('turnwise.openFormattedCopy', [], /^Open a file to format first\.$/);
    await quietly('turnwise.openFormattedCopy', delivery.toString());
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.ok(document);
    assert.equal(basename(document.uri.path), 'delivery.formatted.json');
    assert.deepEqual(JSON.parse(document.getText()), JSON.parse(await readFile(delivery.fsPath, 'utf8')));
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  },

  async 'Suppress Finding: suppresses the finding of a row only with a reason'() {
    const failure = await failureOf('refund.json');
    await quietly('turnwise.suppressFinding', failure.node);
    assert.match(surfaces.asked[0] ?? '', /^Suppress [\w-]+ in turn 2$/);
    surfaces.react(/^Suppress/, 'The shop knows of it.');
    await execute('turnwise.suppressFinding', failure.node);
    assert.deepEqual(
      surfaces.said.map(({ text }) => text),
      ['Saved to refund.turnwise.json.'],
    );
    assert.match(await readFile(file('refund.turnwise.json').fsPath, 'utf8'), /The shop knows of it\./);
    await rm(file('refund.turnwise.json').fsPath);
    await execute('turnwise.evaluate', refund);
  },

  async 'Set Rule Severity and Open Rule Documentation: work on a row'() {
    const failure = await failureOf('refund.json');
    await quietly('turnwise.openRuleDocumentation', failure.node);
    assert.match(openedPage(), /\/docs\/rules\/[\w-]+\.md$/);
    surfaces.react(/^Severity of/, 'off');
    await execute('turnwise.setRuleSeverity', failure.node);
    assert.deepEqual(
      surfaces.said.map(({ text }) => text),
      ['Saved to turnwise.config.json.'],
    );
    const { rules } = JSON.parse(await readFile(file('turnwise.config.json').fsPath, 'utf8'));
    assert.deepEqual(Object.values(rules), ['off']);
    await rm(file('turnwise.config.json').fsPath);
  },

  async 'commands for a finding show an error without one'() {
    for (const command of ['turnwise.suppressFinding', 'turnwise.setRuleSeverity', 'turnwise.openRuleDocumentation']) {
      await refuses(command, [], /^Select a finding in the Results view, or use Quick Fix in the editor\.$/);
    }
  },

  async 'Open Judge Setup Guide: opens the guide'() {
    await quietly('turnwise.openJudgeGuide');
    assert.match(openedPage(), /\/docs\/judges\.md$/);
  },

  async 'Choose Judge: saves rules only or an own server, and changes nothing on Escape'() {
    await quietly('turnwise.chooseJudge');
    surfaces.react(/^Choose a judge model/, 'Other Server…');
    surfaces.react(/^Server Base URL$/, 'http://localhost:1/v1');
    surfaces.react(/^Model$/, 'small');
    surfaces.react(/^localhost:1 does not answer/, 'Save Anyway');
    await execute('turnwise.chooseJudge');
    const configuration = file('turnwise.config.json').fsPath;
    const { judge } = JSON.parse(await readFile(configuration, 'utf8'));
    assert.deepEqual(judge, { provider: 'openai', model: 'small', baseUrl: 'http://localhost:1/v1' });
    surfaces.react(/^Choose a judge model/, 'Rules only');
    await execute('turnwise.chooseJudge');
    assert.equal(JSON.parse(await readFile(configuration, 'utf8')).judge.provider, 'rules');
    assert.deepEqual(kinds(), ['error', 'information', 'information']);
    await rm(configuration);
  },

  async 'Choose Judge: saves what answered a test question, and the open trace is judged'() {
    const key = 'tw-secret-0123456789abcdef';
    const models = response(200, JSON.stringify({ data: [{ id: 'small' }] }));
    await using stub = await startStubModels(({ headers, url }) => {
      if (headers.authorization !== `Bearer ${key}`) return wrongKey(headers.authorization);
      return url === '/v1/models' ? models : undefined;
    });
    const { host } = new URL(stub.origin);
    await vscode.window.showTextDocument(refund);
    surfaces.forget();
    surfaces.react(/^Choose a judge model/, 'Other Server…');
    surfaces.react(/^Server Base URL$/, stub.openai);
    surfaces.react(/^API Key for /, key);
    surfaces.react(/^Choose a model of /, 'small');
    await execute('turnwise.chooseJudge');
    assert.match(
      surfaces.said.map(({ text }) => text).join('\n'),
      /^small answered in \d+\.\d s \(\d+ tokens\)\. Saved to turnwise\.config\.json\. Evaluating refund\.json\.$/,
    );
    const [listed, listedWithKey, tested, ...judged] = stub.requests.map(({ url }) => url);
    assert.deepEqual([listed, listedWithKey, tested], ['/v1/models', '/v1/models', '/v1/chat/completions']);
    assert.doesNotMatch(stub.requests[2]?.prompt ?? '', /A-1001/);
    assert.ok(judged.length > 0, 'The open trace was not judged.');
    const configuration = await readFile(file('turnwise.config.json').fsPath, 'utf8');
    assert.deepEqual(JSON.parse(configuration).judge, { provider: 'openai', model: 'small', baseUrl: stub.openai });
    assert.doesNotMatch(JSON.stringify([configuration, surfaces.said, surfaces.posted]), new RegExp(key));
    surfaces.forget();
    await execute('turnwise.testConnection');
    assert.match(surfaces.said[0]?.text ?? '', /^small answered in /);
    surfaces.react(/^Delete API Keys$/, host);
    await execute('turnwise.deleteApiKeys');
    await rm(file('turnwise.config.json').fsPath);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Evaluate With: another judge or only some metrics for one evaluation, and nothing is saved'() {
    const key = 'tw-secret-0123456789abcdef';
    await using stub = await startStubModels(({ headers, url }) => {
      if (headers.authorization !== `Bearer ${key}`) return wrongKey(headers.authorization);
      return url === '/v1/models' ? response(200, JSON.stringify({ data: [{ id: 'small' }] })) : undefined;
    });
    const { host } = new URL(stub.origin);
    await quietly('turnwise.evaluateWith', refund);
    surfaces.react(/^Evaluate with$/, 'Another Judge…');
    surfaces.react(/^Choose a judge model/, 'Other Server…');
    surfaces.react(/^Server Base URL$/, stub.openai);
    surfaces.react(/^API Key for /, key);
    surfaces.react(/^Choose a model of /, 'small');
    await execute('turnwise.evaluateWith', refund);
    const asked = stub.requests.length;
    assert.ok(
      stub.requests.some(({ url }) => url === '/v1/chat/completions'),
      'The trace was not judged.',
    );
    surfaces.react(/^Evaluate with$/, 'Some Metrics…');
    surfaces.react(/^Select the metrics to compute$/, 'tool_call_count\nloop_detection');
    await execute('turnwise.evaluateWith', refund);
    surfaces.react(/^Evaluate with$/, 'Rules Only');
    await execute('turnwise.evaluateWith', refund);
    assert.equal(stub.requests.length, asked);
    assert.equal(existsSync(file('turnwise.config.json').fsPath), false);
    surfaces.react(/^Delete API Keys$/, host);
    await execute('turnwise.deleteApiKeys');
  },

  async 'Choose Embedder: saves a model that embedded a test, and the folder of one'() {
    await using stub = await startStubModels(({ url }) =>
      url === '/v1/models' ? response(200, JSON.stringify({ data: [{ id: 'embed-small' }] })) : undefined,
    );
    const embedder = async (): Promise<unknown> =>
      JSON.parse(await readFile(file('turnwise.config.json').fsPath, 'utf8')).embedder;
    await quietly('turnwise.chooseEmbedder');
    surfaces.forget();
    surfaces.react(/^Choose an embedder$/, 'Other Server…');
    surfaces.react(/^Server Base URL$/, stub.openai);
    surfaces.react(/^Choose a model of /, 'embed-small');
    await execute('turnwise.chooseEmbedder');
    assert.match(surfaces.said[0]?.text ?? '', /^embed-small answered in \d+\.\d s \(\d+ dimensions\)\. Saved to /);
    assert.deepEqual(await embedder(), { provider: 'openai', model: 'embed-small', baseUrl: stub.openai });
    surfaces.forget();
    surfaces.react(/^Choose an embedder$/, 'Model in a Folder…');
    surfaces.react(/^Folder of the Model$/, folder().fsPath);
    await execute('turnwise.chooseEmbedder');
    assert.match(surfaces.said[0]?.text ?? '', /model\.safetensors is missing or is no file/);
    assert.deepEqual(await embedder(), { provider: 'openai', model: 'embed-small', baseUrl: stub.openai });
    surfaces.react(/^Choose an embedder$/, 'Words Only');
    await execute('turnwise.chooseEmbedder');
    assert.deepEqual(await embedder(), { provider: 'lexical' });
    await rm(file('turnwise.config.json').fsPath);
  },

  async 'Test Connection: says what to do without a judge'() {
    surfaces.forget();
    await execute('turnwise.testConnection');
    assert.deepEqual(surfaces.said, [
      {
        kind: 'error',
        text: 'The configuration names no judge on a server. Choose a judge first.',
        buttons: ['Choose Judge…'],
      },
    ]);
  },

  async 'Set API Key and Delete API Keys: store and remove a key'() {
    await quietly('turnwise.setApiKey');
    surfaces.react(/^Host of the API Key$/, 'https://api.example.com/v1');
    surfaces.react(/^API Key for api\.example\.com$/, 'sk-of-a-test');
    await execute('turnwise.setApiKey');
    assert.deepEqual(
      surfaces.said.map(({ text }) => text),
      ['API key for api.example.com saved.'],
    );
    surfaces.react(/^Delete API Keys$/, 'api.example.com');
    await quietly('turnwise.deleteApiKeys');
    await execute('turnwise.deleteApiKeys');
    assert.deepEqual(
      surfaces.said.map(({ text }) => text),
      ['No API keys stored.'],
    );
  },

  async 'Reset Trace-Sharing Consent: confirms the reset'() {
    surfaces.forget();
    await execute('turnwise.resetConsent');
    assert.deepEqual(kinds(), ['information']);
  },

  async 'Answer Question: does nothing for a question that no evaluation waits for'() {
    await quietly('turnwise.answerQuestion', 'question nobody asks');
    await quietly('turnwise.answerQuestion');
  },

  async 'Show More Results: does nothing for a list that no longer exists'() {
    await quietly('turnwise.showMore', 'session nobody knows');
    await quietly('turnwise.showMore');
  },

  async 'Show Log: opens the output channel'() {
    const before = surfaces.logsShown;
    await quietly('turnwise.showLog');
    assert.equal(surfaces.logsShown, before + 1);
  },

  async 'Restart Server: starts another process with the same results'() {
    const [before] = servers();
    assert.ok(before !== undefined);
    const known = await labels();
    await quietly('turnwise.restartServer');
    await row('the results', ({ label }) => label === 'refund.json');
    assert.deepEqual(await labels(), known);
    await withTimeout(15_000, 'the end of the first server', ended(before));
    assert.equal(servers().length, 1);
    assert.notEqual(servers()[0], before);
  },

  async 'Show Server Status: shows a message with two working buttons'() {
    surfaces.forget();
    const before = surfaces.logsShown;
    surfaces.react(/^The Turnwise language server stopped/, 'Show Log');
    await execute('turnwise.showServerStatus');
    assert.deepEqual(surfaces.said[0]?.buttons, ['Restart Server', 'Show Log']);
    assert.equal(surfaces.logsShown, before + 1);
  },

  async 'Watch My Agent and Stop Watching: receive traces until they are stopped'() {
    await vscode.workspace.getConfiguration('turnwise').update('livePort', 0, vscode.ConfigurationTarget.Workspace);
    surfaces.forget();
    await execute('turnwise.watchAgent');
    assert.match(surfaces.said[0]?.text ?? '', /^Receiving traces on port \d+\. Set OTEL_EXPORTER_OTLP_ENDPOINT=/);
    await quietly('turnwise.watchAgent');
    assert.deepEqual(surfaces.asked, ['Watch My Agent']);
    await quietly('turnwise.stopWatching');
    assert.equal(surfaces.contextOf('turnwise.watching'), false);
  },

  async 'Open a Sample Trace: evaluates a copy and opens its report, and keeps an edited copy'() {
    await opens('turnwise.openSample', [], 'Report: refund-claimed-after-error.json');
    const sample = await row('the sample', ({ label }) => label === 'refund-claimed-after-error.json');
    assert.match(String(sample.item.description), /^Failed: success claimed after an error \(turn 2\)/);
    await quietly('turnwise.openJson', sample.node);
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.ok(document && !document.uri.path.startsWith(extension().extensionUri.path));
    await writeFile(document.uri.fsPath, '[{ "role": "user", "content": "Mine." }]');
    await opens('turnwise.openSample', [], 'Report: refund-claimed-after-error.json');
    assert.match(await readFile(document.uri.fsPath, 'utf8'), /Mine\./);
    await rm(document.uri.fsPath);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'Clear Results: removes rows, diagnostics and status'() {
    await quietly('turnwise.clear');
    assert.deepEqual(await rows(), []);
    await diagnostics(refund, (diagnostics) => diagnostics.length === 0);
    assert.equal(surfaces.contextOf('turnwise.hasResults'), false);
    await refuses('turnwise.evaluateAll', [], /^Nothing to evaluate\. Evaluate a trace first\.$/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await refuses('turnwise.openReport', [], /^No reports yet\. Open a trace and evaluate it first\.$/);
  },

  async 'Find Traces by Content: lists files, which Evaluate These Files evaluates'() {
    const { results } = extension().exports;
    const found = async () => (await results.getChildren()).flatMap((node) => (node.type === 'lookalikes' ? node : []));
    surfaces.forget();
    await execute('turnwise.findTraces');
    const [listed] = await found();
    assert.ok(listed !== undefined && listed.files >= 2);
    const said = surfaces.said.map(({ text, buttons }) => [text, buttons]);
    assert.deepEqual(said, [
      [`${listed.files} files look like traces. They are listed at the end of the Results view.`, ['Evaluate']],
    ]);
    await quietly('turnwise.evaluateLookalikes');
    const evaluated = await labels();
    assert.equal(evaluated.length, listed.files);
    assert.ok(evaluated.includes('refund.json') && evaluated.includes('delivery.json'));
    assert.deepEqual(await found(), []);
  },

  async 'tests every command of the manifest'() {
    const { commands } = extension().packageJSON.contributes;
    const names: string[] = commands.map(({ command }: { command: string }) => command);
    assert.deepEqual(
      names.filter((name) => !executed.has(name)),
      [],
    );
  },
};

export const run = suite(tests);

/** Commands that were executed here. */
const executed = new Set<string>();

async function execute(command: string, ...args: readonly unknown[]): Promise<void> {
  executed.add(command);
  await vscode.commands.executeCommand(command, ...args);
}

/** @param line what the line of the cursor says. */
async function opensScenario(command: string, args: readonly unknown[], line: RegExp): Promise<void> {
  await quietly(command, ...args);
  const { document, selection } = vscode.window.activeTextEditor ?? {};
  assert.ok(document && selection);
  assert.equal(document.isUntitled, true);
  assert.match(document.uri.path, /\.(scenario\.yaml|sim\.ts)$/);
  assert.equal(document.uri.path.startsWith(folder().path), true);
  const { text, firstNonWhitespaceCharacterIndex } = document.lineAt(selection.active);
  assert.match(text, line);
  // The end of a long line would be scrolled to.
  assert.equal(selection.active.character, firstNonWhitespaceCharacterIndex);
  await assert.rejects(async () => await vscode.workspace.fs.stat(document.uri.with({ scheme: 'file' })));
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
}

/** Nothing is said, and nothing goes wrong. */
async function quietly(command: string, ...args: readonly unknown[]): Promise<void> {
  surfaces.forget();
  await execute(command, ...args);
  assert.deepEqual(surfaces.said, []);
}

/** One sentence is said, which is no unexpected error: those come with a button for the log. */
async function refuses(
  command: string,
  args: readonly unknown[],
  sentence: RegExp,
  buttons: readonly string[] = [],
): Promise<void> {
  surfaces.forget();
  await execute(command, ...args);
  const [message, ...more] = surfaces.said;
  assert.match(message?.text ?? '', sentence);
  assert.deepEqual(message?.buttons, buttons);
  assert.deepEqual(more, []);
}

/** Evaluates what is pointed at from nothing on; these rows are there then. */
async function evaluates(args: readonly unknown[], ...expected: readonly string[]): Promise<void> {
  await execute('turnwise.clear');
  surfaces.forget();
  await execute('turnwise.evaluate', ...args);
  assert.deepEqual(await labels(), expected);
}

async function evaluatesFolder(args: readonly unknown[]): Promise<void> {
  await execute('turnwise.clear');
  await quietly('turnwise.evaluateFolder', ...args);
  assert.deepEqual(await labels(), ['refund.json', 'delivery.json']);
}

async function opensReport(args: readonly unknown[], label: string): Promise<void> {
  await opens('turnwise.openReport', args, label);
}

/** The report is in front of its column, and was not opened a second time. */
async function opens(command: string, args: readonly unknown[], label: string): Promise<void> {
  await quietly(command, ...args);
  const { tabGroups } = vscode.window;
  const reports = () => tabGroups.all.flatMap(({ tabs }) => tabs.filter((tab) => tab.label === label));
  const [tab, ...others] = await waitFor(label, [tabGroups.onDidChangeTabs], () => {
    return reports().some(({ isActive }) => isActive) ? reports() : undefined;
  });
  assert.ok(tab);
  assert.deepEqual(others, []);
}

/** As the lens above it has it. */
async function sessionOf(uri: vscode.Uri): Promise<unknown> {
  await vscode.workspace.openTextDocument(uri);
  const [lens] = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 1000);
  assert.ok(lens?.command);
  return boundCommand(lens.command).arguments?.[0].session;
}

async function failureOf(label: string): Promise<Row> {
  const session = (await rows()).find(({ item }) => item.label === label);
  const failure = (await rows(session)).find(({ item }) => item.contextValue === 'failure.rule');
  assert.ok(failure, 'No rule has found anything.');
  return failure;
}

async function gated(): Promise<void> {
  await writeFile(file('turnwise.config.json').fsPath, JSON.stringify(GATED));
}

async function labels(): Promise<unknown[]> {
  return (await rows()).map(({ item }) => item.label);
}

function kinds(): string[] {
  return surfaces.said.map(({ kind }) => kind);
}

/** The page that was opened last. */
function openedPage(): string {
  return String(surfaces.called.findLast(({ command }) => command === 'markdown.showPreview')?.given[0]);
}
