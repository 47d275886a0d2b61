import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { watchAgent } from '../../../src/protocol/live.ts';
import { OtelAgent } from '../../support/otel-agent.ts';
import { suite } from '../../support/vscode/suite.ts';
import { diagnostics, extension, file, folder, row, servers, waitFor } from '../extension.ts';
import { SecondWindow } from '../second-window.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const live = file('.turnwise/live');

/** An agent is watched while it runs. */
export const run = suite({
  async 'receives nothing until it is asked to'() {
    await vscode.workspace.getConfiguration('turnwise').update('livePort', 0, vscode.ConfigurationTarget.Workspace);
    await vscode.commands.executeCommand('turnwise.stopWatching');
    await assert.rejects(async () => await vscode.workspace.fs.stat(live));
    assert.equal(liveItem(), undefined);
  },

  async 'says where to send traces, and copies the lines for it'() {
    surfaces.react(/^Receiving traces on port \d+\. Set OTEL_EXPORTER_OTLP_ENDPOINT=/, 'Copy Set-up Lines');
    await vscode.commands.executeCommand('turnwise.watchAgent');
    const { port } = await watching(/^\$\(broadcast\) Watching \d+ · 0 sessions$/);
    assert.deepEqual(
      surfaces.said.map(({ text, buttons }) => [text, buttons]),
      [
        [
          `Receiving traces on port ${port}. Set OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port} where your agent runs, then run it.`,
          ['Copy Set-up Lines'],
        ],
      ],
    );
    assert.equal(surfaces.contextOf('turnwise.watching'), true);
    assert.match(
      liveItem()?.tooltip?.toString() ?? '',
      /\.turnwise\/live has 0 of 500 MB\. Sessions are kept for 30 days\./,
    );
    assert.equal(await copied(), `export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port}`);
  },

  async 'shows a turn that failed: a row, the problem in the JSON, and a message that opens the report'() {
    surfaces.forget();
    surfaces.react(/^Your agent: /, 'Open Report');
    const { port } = await watching(/./);
    await using agent = new OtelAgent({ endpoint: `http://127.0.0.1:${port}` });
    agent.turn({ conversation: 'conv-1', order: 'A-1' });
    agent.turn({ conversation: 'conv-1', order: 'A-2', fails: true });
    await agent.flush();
    const { item } = await row('the session', ({ label }) => String(label).startsWith('conv-1-'));
    const { item: failed } = await row('its problem', ({ description }) =>
      String(description).startsWith('Failed: success claimed after an error (turn 2)'),
    );
    assert.equal(failed.label, item.label);
    const [name = ''] = (await readdir(live.fsPath)).filter((entry) => entry.endsWith('.jsonl'));
    const [error] = await diagnostics(vscode.Uri.joinPath(live, name), (all) =>
      all.some(({ severity }) => severity === vscode.DiagnosticSeverity.Error),
    );
    assert.ok(error);
    await waitFor(
      'the report',
      [vscode.window.tabGroups.onDidChangeTabs],
      () =>
        vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label === `Report: ${name}`)) ||
        undefined,
    );
    await watching(/^\$\(broadcast\) Watching \d+ · 1 session$/);
    agent.turn({ conversation: 'conv-1', order: 'A-3', fails: true });
    await agent.flush();
    await row('the next turn', ({ tooltip }) => String(tooltip).includes('3 turns'));
    assert.deepEqual(
      surfaces.said.map(({ kind, text, buttons }) => [kind, text, buttons]),
      [['warning', 'Your agent: success claimed after an error in turn 2 (Please show order A-1.)', ['Open Report']]],
    );
  },

  async 'lets another window wait'() {
    const { port } = await watching(/./);
    await using other = await SecondWindow.open();
    const status = await other.ask(watchAgent, { project: folder().toString() });
    assert.equal(status.state, 'waiting');
    assert.match(status.message, new RegExp(`on port ${port}\\. This window takes over when that one ends\\.$`));
  },

  async 'goes on after a crash of the server'() {
    const [broken] = servers();
    if (broken !== undefined) process.kill(broken, 'SIGKILL');
    await waitFor('another server', [surfaces.onDidChange, extension().exports.results.onDidChangeTreeData], () => {
      return servers().some((id) => id !== broken) || undefined;
    });
    const { port } = await watching(/· 0 sessions$/);
    await using agent = new OtelAgent({ endpoint: `http://127.0.0.1:${port}` });
    agent.turn({ conversation: 'conv-2', order: 'B-1' });
    await agent.flush();
    await row('the session', ({ label }) => String(label).startsWith('conv-2-'));
  },

  async 'has a menu in the status bar, which stops it: nothing is written any more'() {
    const { port, command } = await watching(/· 1 session$/);
    assert.equal(command, 'turnwise.watchAgent');
    surfaces.react(/^Watch My Agent$/, 'Copy Set-up Lines');
    await vscode.commands.executeCommand(command);
    assert.equal(await copied(), `export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port}`);
    surfaces.react(/^Watch My Agent$/, 'Open Folder');
    await vscode.commands.executeCommand(command);
    assert.ok(surfaces.called.some((call) => call.command === 'revealInExplorer'));
    const before = surfaces.logsShown;
    surfaces.react(/^Watch My Agent$/, 'Show Log');
    await vscode.commands.executeCommand(command);
    assert.equal(surfaces.logsShown, before + 1);
    surfaces.react(/^Watch My Agent$/, 'Stop Watching');
    await vscode.commands.executeCommand(command);
    assert.equal(surfaces.contextOf('turnwise.watching'), false);
    const left = await readdir(live.fsPath);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/v1/traces`, { method: 'POST' }));
    assert.deepEqual(await readdir(live.fsPath), left);
    assert.deepEqual(
      left.filter((name) => !name.endsWith('.jsonl')),
      ['.gitignore', 'notified.txt'],
    );
  },

  async 'follows the log of a coding agent outside of the folder as it grows'() {
    const settings = vscode.workspace.getConfiguration('turnwise');
    await settings.update('evaluateOnChange', 'evaluated', vscode.ConfigurationTarget.Workspace);
    const fixtures = join(process.env.TURNWISE_TEST_REPOSITORY ?? '', 'test', 'fixtures', 'formats');
    const lines = (await readFile(join(fixtures, 'codex.jsonl'), 'utf8')).split(/(?<=\n)/);
    const logs = await mkdtemp(join(tmpdir(), 'turnwise-logs-'));
    let growing: NodeJS.Timeout | undefined;
    try {
      const log = vscode.Uri.file(join(logs, 'session.jsonl'));
      await writeFile(log.fsPath, lines.slice(0, 18).join(''));
      await vscode.commands.executeCommand('turnwise.evaluate', log, [log]);
      await row(
        'the first turn',
        ({ label, description }) => label === 'session.jsonl' && /^No problems/.test(String(description)),
      );
      await appendFile(log.fsPath, lines.slice(18, 20).join(''));
      // Agents go on writing, and the editor may begin to watch a moment after the evaluation.
      growing = setInterval(() => void appendFile(log.fsPath, '\n'), 2000);
      await row(
        'what came',
        ({ label, description }) =>
          label === 'session.jsonl' && /^1 problem, medium: no answer/.test(String(description)),
      );
    } finally {
      clearInterval(growing);
      await rm(logs, { recursive: true });
    }
  },
});

/** The item of the status bar about the watched agent. */
function liveItem(): vscode.StatusBarItem | undefined {
  return surfaces.statusItems.find(({ id }) => id.endsWith('turnwise.live'));
}

/** What the status bar says, once it is as expected. */
async function watching(expected: RegExp): Promise<{ readonly port: number; readonly command: string }> {
  const item = await waitFor(`the status ${expected}`, [surfaces.onDidChange], () => {
    const found = liveItem();
    return found && expected.test(found.text) ? found : undefined;
  });
  return { port: Number(/Watching (\d+)/.exec(item.text)?.[1]), command: String(item.command) };
}

/** The first line of the clipboard, which is written soon after a button was pressed. */
async function copied(): Promise<string> {
  for (;;) {
    const text = await vscode.env.clipboard.readText();
    if (text !== '') {
      await vscode.env.clipboard.writeText('');
      return text.split('\n')[0] ?? '';
    }
  }
}
