import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { get } from '../../../src/core/json.ts';
import { suite } from '../../support/vscode/suite.ts';
import {
  codeOf,
  evaluate,
  formatRange,
  hints,
  hoverText,
  lenses,
  lensLines,
  press,
  until,
  valueAt,
  write,
} from '../editor-features.ts';
import { diagnostics, edit, extension, file, rows } from '../extension.ts';

const refund = file('refund.json');

/** Where a value stands: keys and indices from the top of a document. */
type Path = readonly (string | number)[];

const call = (message: number): Path => ['messages', message, 'tool_calls', 0];
const content = (message: number): Path => ['messages', message, 'content'];

/** What is found in the conversation of `refund.json`, and the values that prove it, read out of the file by hand. */
const EXPECTED_FINDINGS: Readonly<
  Record<string, { severity: vscode.DiagnosticSeverity; range: string; value: Path; related: [Path, string][] }>
> = {
  'error-repeated-unchanged': {
    severity: vscode.DiagnosticSeverity.Warning,
    range: '61:9-65:10',
    value: call(8),
    related: [
      [call(10), 'the same call, failing again'],
      [call(6), 'the call that it repeats'],
      [content(7), 'its earlier result'],
    ],
  },
  'ungrounded-argument': {
    severity: vscode.DiagnosticSeverity.Information,
    range: '49:9-53:10',
    value: call(6),
    related: [[content(3), 'the closest value in a result']],
  },
};

const EMOJI = '😀 👨‍👩‍👧‍👦 🇩🇪 é';
const BOM = '\uFEFF';

/** Where findings stand in the text of an editor, however it is written. */
export const run = suite({
  async 'places a finding on the value that proves it, with its rule and further evidence'() {
    await evaluate(refund);
    const found = await diagnostics(refund, ({ length }) => length > 0);
    assert.deepEqual(found.map(codeOf).sort(), Object.keys(EXPECTED_FINDINGS).sort());
    for (const diagnostic of found) {
      const code = codeOf(diagnostic);
      const { severity, range } = EXPECTED_FINDINGS[code] ?? assert.fail();
      assert.equal(diagnostic.severity, severity, code);
      assert.equal(formatRange(diagnostic.range), range, code);
      assert.ok(typeof diagnostic.code === 'object');
      const page = await vscode.workspace.openTextDocument(diagnostic.code.target);
      assert.equal(page.uri.path, `${extension().extensionUri.path}/docs/rules/${code}.md`);
    }
    await areProven(refund, JSON.parse(await readFile(refund.fsPath, 'utf8')));
  },

  async 'places findings correctly with other line breaks, byte order marks, tabs and emoji'() {
    const text = await readFile(refund.fsPath, 'utf8');
    const { tools, messages } = JSON.parse(text);
    const named = messages.map((message: object) => ({ name: EMOJI, ...message }));
    const lines = named.map((message: object) => JSON.stringify(message));
    const heading = `{ "tools": ${JSON.stringify(tools)}, "messages": [`;
    const documents: Readonly<Record<string, string>> = {
      'crlf.json': text.replaceAll('\n', '\r\n'),
      'bom.json': BOM + text,
      'tabs.json': `${BOM}${JSON.stringify({ tools, messages }, null, '\t').replaceAll('\n', '\r\n')}\r\n`,
      'emoji.json': `${heading}\n${lines.join(',\n')}\n] }`,
      'emoji-bom.json': `${BOM}${heading}${lines.join(', ')}] }`,
    };
    for (const [name, written] of Object.entries(documents)) {
      const uri = await write(name, written);
      await evaluate(uri);
      await areProven(uri, JSON.parse(written.replace(BOM, '')));
    }
    // Each message has a line of its own there, the first one the second.
    const emoji = file('emoji.json');
    assert.deepEqual(
      (await lenses(emoji)).map(({ line, column }) => `${line}:${column}`),
      ['1:1', '7:1'],
    );
    // By hand: to people its line has 82 characters, to an editor 96.
    assert.deepEqual(await hints(emoji), [
      '7:97 ✗ failed call repeated unchanged: refund_order, ungrounded argument: refund_order',
    ]);
  },

  async 'places findings of JSON Lines in their lines'() {
    const { messages } = JSON.parse(await readFile(refund.fsPath, 'utf8'));
    const lines = messages.map((message: object) => JSON.stringify({ name: EMOJI, ...message }));
    const uri = await write('lines.jsonl', `${BOM}${lines.join('\r\n')}\r\n`);
    await evaluate(uri);
    const found = await diagnostics(uri, ({ length }) => length > 0);
    const repeated = found.find((diagnostic) => codeOf(diagnostic) === 'error-repeated-unchanged');
    assert.equal(repeated?.range.start.line, 8);
    assert.equal(repeated.range.end.line, 8);
    await areProven(uri, { messages });
    assert.deepEqual(await lensPlaces(uri), ['1:1', '6:1']);

    const sessions = await write(
      'sessions.jsonl',
      `${JSON.stringify({ messages })}\n${JSON.stringify({ messages: messages.slice(0, 5) })}\n`,
    );
    await evaluate(sessions);
    // A single turn with problems stands beside its session.
    assert.deepEqual(
      (await lenses(sessions)).map(({ line, title }) => `${line}: ${title.slice(0, 1)}`),
      ['1: !', '1: ✗', '2: ○'],
    );
    assert.deepEqual(await hints(sessions), []);
  },

  async 'moves findings, lenses and hovers with text typed above or before them, and back on undo'() {
    await evaluate(refund);
    const before = await diagnostics(refund, ({ length }) => length > 0);
    const editor = await vscode.window.showTextDocument(refund);
    const insert = (...edits: readonly (readonly [line: number, character: number, text: string])[]) =>
      edit(editor, (builder) => {
        for (const [line, character, text] of edits) builder.insert(new vscode.Position(line, character), text);
      });
    // In two places at once; both above the second turn, one above the first.
    await insert([0, 0, '\n'], [38, 0, '\n\n']);
    const down =
      (lines: number, characters = 0) =>
      (line: number, character: number) => {
        return new vscode.Position(line + lines, character + characters);
      };
    await moved(before, down(3));
    assert.deepEqual(await lensPlaces(refund), ['2:1', '47:5']);
    assert.deepEqual(await hints(refund), [
      '47:75 ✗ failed call repeated unchanged: refund_order, ungrounded argument: refund_order',
    ]);
    assert.ok((await ranges()).includes('64:9-68:10'));

    await insert([63, 0, '/* 😀 */']);
    await until('the finding behind the comment', ranges, (now) => now.includes('64:17-68:10'));

    await vscode.commands.executeCommand('undo');
    await moved(before, down(3));
    await edit(editor, (builder) => builder.delete(new vscode.Range(0, 0, 3, 0)));
    await moved(before, down(0));
    await vscode.commands.executeCommand('undo');
    await moved(before, down(3));
    await vscode.commands.executeCommand('undo');
    await moved(before, down(0));
    await until(
      'the text to be as on disk',
      () => editor.document.isDirty,
      (isDirty) => !isDirty,
    );
    await until(
      'lenses that say so',
      () => lensLines(refund),
      (all) => !/file changed|Evaluate Again/.test(all.join()),
    );
    await areProven(refund, JSON.parse(editor.document.getText()));
  },

  async 'shows one lens and findings by column in a file of one line'() {
    const written = await readFile(refund.fsPath, 'utf8');
    const uri = await write('one-line.json', JSON.stringify(JSON.parse(written)));
    await evaluate(uri);
    assert.deepEqual(await lensLines(uri), [
      '1: ! 2 problems, worst medium: failed call repeated unchanged: refund_order (turn 2) · risk Elevated · Report',
      '1: Format Copy',
    ]);
    assert.deepEqual(await hints(uri), []);
    await areProven(uri, JSON.parse(written));
    const [, first] = /^(.*?)\{"role":"user","content":"Where/.exec(await readFile(uri.fsPath, 'utf8')) ?? [];
    assert.match(await hoverText(uri, 1, (first?.length ?? 0) + 2), /\*\*Turn 1\*\* of one-line/);
    const diagnostic = vscode.languages
      .getDiagnostics(uri)
      .find((diagnostic) => codeOf(diagnostic) === 'error-repeated-unchanged');
    assert.ok(diagnostic);
  },

  async 'shows lenses and findings in the formatted copy of a file of one line once it is saved'() {
    const uri = file('one-line.json');
    const lens = (await lenses(uri)).find(({ title }) => title === 'Format Copy');
    assert.ok(lens);
    await press(lens);
    const copy = vscode.window.activeTextEditor?.document;
    assert.ok(copy);
    assert.equal(basename(copy.uri.path), 'one-line.formatted.json');
    assert.equal(copy.isDirty, false);
    const text = await readFile(uri.fsPath, 'utf8');
    assert.equal(copy.getText(), `${JSON.stringify(JSON.parse(text), null, 2)}\n`);

    const saved = await write('formatted.json', copy.getText());
    await evaluate(saved);
    const places = await lensPlaces(saved);
    assert.equal(places.length, 2);
    const document = await vscode.workspace.openTextDocument(saved);
    for (const place of places.slice(1)) {
      const line = Number(place.split(':')[0]);
      assert.equal(document.lineAt(line - 1).text, '    {');
      assert.equal(document.lineAt(line).text, '      "role": "user",');
    }
    await areProven(saved, JSON.parse(text));
  },

  async 'shows evidence behind the rendered part of a line in the formatted copy, which is read again when the file changes'() {
    const written = JSON.parse(await readFile(refund.fsPath, 'utf8'));
    for (const padding of ['x'.repeat(12_000), 'y'.repeat(12_000)]) {
      const text = JSON.stringify({ metadata: { padding }, ...written });
      const uri = await write('one-long-line.json', text);
      await evaluate(uri);
      const session = (await rows()).find(({ item }) => item.label === 'one-long-line.json');
      const [problem] = await rows(session);
      assert.ok(problem);
      await vscode.commands.executeCommand('turnwise.openJson', problem.node);
      const editor = vscode.window.activeTextEditor ?? assert.fail();
      assert.equal(basename(editor.document.uri.path), 'one-long-line.formatted.json');
      assert.equal(editor.document.getText(), `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
      assert.equal(editor.selection.isEmpty, true);
      const from = editor.document.getText(new vscode.Range(editor.selection.active, new vscode.Position(9999, 0)));
      const call = JSON.stringify(valueIn(written, ['messages', 8, 'tool_calls', 0]));
      assert.ok(from.replaceAll(/\s/g, '').startsWith(call.replaceAll(/\s/g, '')), from.slice(0, 200));
    }
    await rm(file('one-long-line.json').fsPath);
  },

  async 'opens the formatted copy at the cursor of the file'() {
    const uri = file('one-line.json');
    const document = await vscode.workspace.openTextDocument(uri);
    const at = document.positionAt(document.getText().indexOf('"Where') + 1);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
    await vscode.commands.executeCommand('turnwise.openFormattedCopy', uri.toString());
    const editor = vscode.window.activeTextEditor ?? assert.fail();
    assert.equal(basename(editor.document.uri.path), 'one-line.formatted.json');
    assert.match(
      editor.document.lineAt(editor.selection.active).text.slice(editor.selection.active.character),
      /^Where/,
    );
  },

  async 'says in the tree that nothing is shown in a file above the limit of VS Code'() {
    const { tools, messages } = JSON.parse(await readFile(refund.fsPath, 'utf8'));
    const padding = ' '.repeat(51 * 1024 * 1024);
    const uri = await write('large.json', JSON.stringify({ tools, messages, metadata: { padding } }));
    try {
      await evaluate(uri);
      const [row] = (await rows()).filter(({ item }) => item.label === 'large.json');
      assert.match(String(row?.item.description), /over 50 MB: no annotations in the editor/);
      assert.match(String(row?.item.accessibilityInformation?.label), /^large\.json, .*over 50 MB/);
      assert.equal((await rows(row)).length, 2);
      await assert.rejects(async () => vscode.workspace.openTextDocument(uri), /50MB/);
      const [other] = (await rows()).filter(({ item }) => item.label === 'refund.json');
      assert.doesNotMatch(String(other?.item.description), /50 MB/);
    } finally {
      await rm(uri.fsPath);
    }
  },
});

/** Every finding, and all that it names, stands on the value in the text of the editor that it is said to stand on. */
async function areProven(uri: vscode.Uri, document: unknown): Promise<void> {
  const found = await diagnostics(uri, ({ length }) => length > 0);
  assert.deepEqual(found.map(codeOf).sort(), Object.keys(EXPECTED_FINDINGS).sort(), uri.path);
  for (const diagnostic of found) {
    const code = codeOf(diagnostic);
    const { value, related } = EXPECTED_FINDINGS[code] ?? assert.fail();
    const about = `${code} in ${uri.path}`;
    assert.deepEqual(await valueAt(uri, diagnostic.range), valueIn(document, value), about);
    const places = diagnostic.relatedInformation ?? [];
    assert.deepEqual(
      places.map(({ message }) => message),
      related.map(([, message]) => message),
      about,
    );
    for (const [at, { location }] of places.entries()) {
      assert.equal(location.uri.toString(), uri.toString());
      assert.deepEqual(await valueAt(uri, location.range), valueIn(document, related[at]?.[0] ?? []), about);
    }
  }
}

function valueIn(document: unknown, path: Path): unknown {
  let value = document;
  for (const key of path) value = Array.isArray(value) ? value[Number(key)] : get(value, String(key));
  return value;
}

/** Waits until everything that was found before stands where it is expected now. */
async function moved(
  before: readonly vscode.Diagnostic[],
  to: (line: number, character: number) => vscode.Position,
): Promise<void> {
  const expected = before.map(({ range: { start, end } }) =>
    formatRange(new vscode.Range(to(start.line, start.character), to(end.line, end.character))),
  );
  await until(`findings at ${expected}`, ranges, (now) => now.join() === expected.join());
}

function ranges(): string[] {
  const ours = vscode.languages.getDiagnostics(refund).filter(({ source }) => source === 'Turnwise');
  return ours.map(({ range }) => formatRange(range));
}

async function lensPlaces(uri: vscode.Uri): Promise<string[]> {
  return [...new Set((await lenses(uri)).map(({ line, column }) => `${line}:${column}`))];
}
