import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { delayedReply, startStubModels } from '../../support/stub-models.ts';
import { suite } from '../../support/vscode/suite.ts';
import {
  boundCommand,
  evaluate,
  hints,
  hoverAt,
  hoverText,
  type Lens,
  lenses,
  lensLines,
  linksOf,
  press,
  setSetting,
  until,
  write,
} from '../editor-features.ts';
import { edit, extension, file, servers } from '../extension.ts';

/** In `own/inline`: its lines were looked up by hand. */
const shop = file('shop.trace.json');

const SHOP_LENSES = [
  '4: ✗ Failed: task_completion 0.20 / 1 · risk High · Report',
  '13: ✗ failed call repeated unchanged: refund_order · task_completion 0.20 / 1',
  '25: ○ No problems found · Report',
];
const SHOP_HINTS = ['13:10 ✗ failed call repeated unchanged: refund_order · task_completion 0.20 / 1'];
const UNEVALUATED = ['1: Evaluate with Turnwise'];

/** What the editor shows of lenses, hints and hovers. */
export const run = suite({
  async 'starts the extension in a folder with a trace, and the server when a trace is shown'() {
    await until(
      'the extension to be active',
      () => extension().isActive,
      (isActive) => isActive,
    );
    await vscode.window.showTextDocument(file('refund.json'));
    await vscode.window.showTextDocument(shop);
    await until('a server', servers, ({ length }) => length === 1);
  },

  async 'shows a lens above a file named as a trace before its evaluation, and above no other JSON'() {
    await until(
      'the lens',
      () => lensLines(shop),
      ({ length }) => length > 0,
    );
    assert.deepEqual(await lensLines(shop), UNEVALUATED);
    const [lens] = await lenses(shop);
    assert.ok(lens);
    assert.deepEqual(boundCommand(lens.command).arguments, [shop.toString()]);
    const text = await readFile(file('delivery.json').fsPath, 'utf8');
    const lines = JSON.parse(text).map((message: unknown) => JSON.stringify(message));
    for (const name of [
      'b.session.json',
      'c.evalset.json',
      'd.traj',
      '.agentest/results.json',
      'deep/er/e.trace.json',
    ]) {
      assert.deepEqual(await lensLines(await write(name, text)), UNEVALUATED, name);
    }
    for (const name of ['f.trace.jsonl', 'g.session.jsonl']) {
      assert.deepEqual(await lensLines(await write(name, `${lines.join('\n')}\n`)), UNEVALUATED, name);
    }
    for (const name of ['results.json', '.agentest/other.json', 'trace.json', 'h.jsonl', 'i.trace.txt']) {
      assert.deepEqual(await lensLines(await write(name, text)), [], name);
    }
    assert.deepEqual(await lensLines(file('delivery.json')), []);
    assert.deepEqual(await hints(shop), []);
    assert.deepEqual(await hoverAt(shop, 1, 1), []);
  },

  async 'evaluates from the lens, and then shows one above each session and turn'() {
    const [lens] = await lenses(shop);
    assert.ok(lens);
    await press(lens);
    assert.deepEqual(await lensLines(shop), SHOP_LENSES);
    assert.deepEqual(await hints(shop), SHOP_HINTS);
  },

  async 'shows lenses in other JSON once it is evaluated'() {
    const refund = file('refund.json');
    await evaluate(refund);
    assert.deepEqual(await lensLines(refund), [
      '1: ! 2 problems, worst medium: failed call repeated unchanged: refund_order (turn 2) · risk Elevated · Report',
      '44: ✗ failed call repeated unchanged: refund_order, ungrounded argument: refund_order',
    ]);
    assert.deepEqual(await hints(refund), [
      '44:75 ✗ failed call repeated unchanged: refund_order, ungrounded argument: refund_order',
    ]);
  },

  async 'opens the report from the lens of a session or a turn'() {
    for (const lens of await lenses(shop)) {
      await press(lens);
      await until('the report to be in sight', tabsInSight, (labels) => labels.includes('Report: shop.trace.json'));
    }
    const reports = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ label }) => /^Report/.test(label));
    // It goes from session to session of its file.
    assert.equal(reports.length, 1);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'keeps lenses at their lines while a file is evaluated again, and updates their text'() {
    await using stub = await startStubModels();
    const judge = { provider: 'ollama', model: 'm', baseUrl: stub.origin, concurrency: 1 };
    // Below the threshold of a user, each turn has a problem.
    const gates = { thresholds: { helpfulness: 3.5 } };
    const metrics = ['helpfulness', 'turn_risk'];
    await write('judged/turnwise.config.json', JSON.stringify({ judge, metrics, gates }));
    const text = await readFile(shop.fsPath, 'utf8');
    const uri = await write('judged/shop.trace.json', text);
    const positions = async () => placesOf(await lenses(uri));

    await evaluate(uri);
    const before = await positions();
    assert.deepEqual(before, ['4:5', '8:9', '13:9', '25:5', '27:17']);
    assert.ok(stub.requests.length > 0, 'No judge was asked.');

    // Of the second turn no answer comes before this test has looked.
    const release = Promise.withResolvers<void>();
    stub.play(({ prompt }) => (prompt.includes('I could not refund it.') ? delayedReply(release.promise) : undefined));
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document);
    for (const message of ['It was delivered.', 'how can I help?']) {
      const at = document.positionAt(document.getText().indexOf(message));
      await edit(editor, (builder) => builder.replace(new vscode.Range(at, at.translate(0, 2)), 'And'));
    }
    const again = evaluate(uri);
    const during = await until(
      'an evaluation of which one turn is done',
      () => lenses(uri),
      (all) => all.some(({ title }) => title.startsWith('evaluating: 1 of 2 turns')),
    );
    assert.deepEqual(placesOf(during), before);
    release.resolve();
    await again;
    assert.deepEqual(await positions(), before);
    assert.ok((await lenses(uri)).every(({ title }) => !title.startsWith('evaluating')));
  },

  async 'marks and moves the lenses of an edited file, which evaluate it again'() {
    const document = await vscode.workspace.openTextDocument(shop);
    const editor = await vscode.window.showTextDocument(document);
    await edit(editor, (builder) => builder.insert(new vscode.Position(1, 0), '\n\n'));
    const moved = SHOP_LENSES.map((lens) => lens.replace(/^\d+/, (line) => String(Number(line) + 2)));
    const stale = moved.map((lens) => lens.replace(' · Report', ' · outdated: file changed · Report'));
    // An edit is made before everybody has heard of it.
    await until(
      'the lenses to move',
      async () => (await lensLines(shop)).filter((lens) => lens !== '6: Evaluate Again'),
      (seen) => seen.join('\n') === stale.join('\n'),
    );
    assert.deepEqual(await hints(shop), [
      '15:10 ✗ failed call repeated unchanged: refund_order · task_completion 0.20 / 1',
    ]);
    const again = (await lenses(shop)).find(({ title }) => title === 'Evaluate Again');
    assert.equal(again?.line, 6);
    await press(again);
    assert.equal(document.isDirty, false);
    assert.deepEqual(await lensLines(shop), moved);
    await edit(editor, (builder) => builder.delete(new vscode.Range(1, 0, 3, 0)));
    await evaluate(shop);
    assert.deepEqual(await lensLines(shop), SHOP_LENSES);
  },

  async 'shows the scores of a turn with bands, reasons and evidence in its hover'() {
    const text = await hoverText(shop, 13, 9);
    assert.match(text, /^\*\*Turn 2\*\* of refund: ✗ Failed: task\\_completion 0\.20 \/ 1 · risk High$/m);
    assert.match(text, /^- ✗ task\\_completion \*\*0\.20 \/ 1\*\* \(threshold 0\.5, not addressed, from the file\)/m);
    assert.match(text, /^- step\\_efficiency \*\*0\.50 \/ 1\*\* \(threshold 0\.5, by rules\): .+ 2 more times/m);
    assert.match(text, /^- confidence \*\*0\.75 \/ 1\*\* \(threshold 0\.5, minor hesitation, by rules\)/m);
    assert.match(text, /^- tone \*\*0\.90\*\* \(from the file\)/m);
    assert.match(text, /^\*10 need a judge · 1 need an embedder\*$/m);
    const own = linksOf(text).filter(({ uri }) => uri.toString() === shop.toString());
    assert.equal(own.length, linksOf(text).length);
    /** By hand: where what the words say stands. */
    const lines: Readonly<Record<string, readonly number[]>> = {
      'Failed call repeated unchanged: refund\\_order': [18],
      'the same call, failing again': [18, 19],
      'the call that it repeats': [17],
      'this answer': [15],
      'the answer': [15],
      'the answer of turn 1': [10],
      'what the user said': [14],
    };
    for (const { words, line } of own)
      assert.ok(lines[words]?.includes(line), `${words} is said to be on line ${line}`);
    assert.ok(own.length >= 8, `There are ${own.length} links.`);
  },

  async 'opens the file at a value from a hover link'() {
    const [link] = linksOf(await hoverText(shop, 13, 9));
    assert.ok(link);
    await vscode.commands.executeCommand('vscode.open', link.uri.with({ fragment: `L${link.line},${link.column}` }));
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), shop.toString());
    assert.deepEqual(editor.selection.active, new vscode.Position(17, 12));
    assert.match(editor.document.lineAt(17).text.slice(12), /^\{ "type": "tool"/);
  },

  async 'shows scores in the hover of a session and details in that of a finding, and nothing elsewhere'() {
    const session = await hoverText(shop, 4, 6);
    assert.match(session, /^\*\*Session\*\* refund: ✗ Failed: task\\_completion 0\.20 \/ 1 · risk High$/m);
    assert.match(session, /^- session\\_risk \*\*0\.\d\d \/ 1\*\*/m);
    assert.deepEqual(await hoverAt(shop, 18, 20), []);
    assert.deepEqual(await hoverAt(shop, 2, 3), []);
    assert.deepEqual(await hoverAt(shop, 9, 20), []);
  },

  async 'shows trace text in a hover as plain text'() {
    const uri = await hostile();
    await evaluate(uri);
    const places = [
      [5, 6],
      [8, 10],
      [11, 20],
      [12, 20],
      [13, 20],
    ] as const;
    let html = '';
    for (const [line, column] of places) {
      for (const { value, isTrusted, supportHtml, supportThemeIcons } of await hoverAt(uri, line, column)) {
        assert.deepEqual([isTrusted ?? false, supportHtml ?? false, supportThemeIcons ?? false], [false, false, false]);
        assert.doesNotMatch(value, UNSEEN);
        html += await rendered(value);
      }
    }
    for (const text of ['[press](command:workbench.action.quit)', '$(flame)', '&lt;img src=', '⟨U+001B⟩', '⟨U+202E⟩'])
      assert.ok(html.includes(text), `${text} is not shown as text in ${html}`);
    // The preview makes no links to files of its own accord: these would be the trace's.
    assert.deepEqual(addressesIn(html), []);
    assert.ok(addressesIn(await rendered(EVIL)).length > 3, 'The preview makes no links at all.');
    assert.doesNotMatch(html, /<(?:img|script|iframe|h\d|table)/);
  },

  async 'turns lenses and hints off and on separately'() {
    await using _ = restoredSettings();
    await setSetting('lenses', false);
    assert.deepEqual(await lensLines(shop), []);
    assert.deepEqual(await lensLines(file('b.session.json')), []);
    assert.deepEqual(await hints(shop), SHOP_HINTS);
    await setSetting('lenses', undefined);
    await setSetting('inlayHints', false);
    assert.deepEqual(await hints(shop), []);
    assert.deepEqual(await lensLines(shop), SHOP_LENSES);
    await setSetting('inlayHints', undefined);
    assert.deepEqual(await hints(shop), SHOP_HINTS);
  },

  async 'takes trace names from a setting, with any file extension'() {
    await using _ = restoredSettings();
    await setSetting('traces', ['**/*.run.json', 'chats/*.chat']);
    const text = await readFile(file('delivery.json').fsPath, 'utf8');
    const [run, chat] = [await write('a.run.json', text), await write('chats/a.chat', text)];
    const until1 = (uri: vscode.Uri, expected: readonly string[]) =>
      until(
        `the lenses of ${uri.path}`,
        () => lensLines(uri),
        (seen) => seen.join('\n') === expected.join('\n'),
      );
    await until1(run, UNEVALUATED);
    await until1(chat, UNEVALUATED);
    assert.deepEqual(await lensLines(file('b.session.json')), []);
    // What was evaluated keeps its lenses, whatever it is called, and whatever server answers.
    await until1(shop, SHOP_LENSES);
    await evaluate(chat);
    assert.match((await lensLines(chat)).join('\n'), /^1: . .* · Report/);
    await setSetting('traces', undefined);
    await until1(file('b.session.json'), UNEVALUATED);
    await until1(run, []);
  },
});

/** Controls, and marks that turn the direction of reading. */
const UNSEEN = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069](?<!\n)/u;

/** Tries to be all that a text can be. What is longer than names are comes last. */
const EVIL =
  '\u202E\u001b[31m[press](command:workbench.action.quit) $(flame) <img src="https://evil.example/y"> \u202C' +
  '![](https://evil.example/x.png) https://evil.example/z www.evil.example <command:evil> ``` # | x |';

/** As VS Code's own preview of Markdown shows it. */
async function rendered(markdown: string): Promise<string> {
  return vscode.commands.executeCommand<string>('markdown.api.render', markdown);
}

function addressesIn(html: string): string[] {
  return Array.from(html.matchAll(/(?:href|src)="([^"]*)"/g), ([, address = '']) => address);
}

/** A trace whose every text tries to be more than text. */
async function hostile(): Promise<vscode.Uri> {
  const call = { type: 'tool', name: EVIL, arguments: { [EVIL]: EVIL }, error: EVIL };
  const session = {
    id: EVIL,
    turns: [{ input: EVIL, output: EVIL, steps: [call, call, call], scores: { [EVIL]: 0 } }],
  };
  const [turn] = session.turns;
  assert.ok(turn);
  // A line for each value, so that it is known where they stand.
  const lines = [
    '{',
    '  "turnwise": 1,',
    '  "sessions": [',
    '    ',
    `    { "id": ${JSON.stringify(session.id)},`,
    `      "goal": ${JSON.stringify(EVIL)},`,
    '      "turns": [',
    `        { "input": ${JSON.stringify(turn.input)},`,
    `          "output": ${JSON.stringify(turn.output)},`,
    '          "steps": [',
    ...turn.steps.map((step, at) => `            ${JSON.stringify(step)}${at === turn.steps.length - 1 ? '' : ','}`),
    '          ],',
    `          "scores": ${JSON.stringify(turn.scores)} }`,
    '      ] }',
    '  ]',
    '}',
  ];
  return write('hostile.trace.json', lines.join('\n'));
}

function restoredSettings(): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      for (const name of ['lenses', 'inlayHints', 'traces']) await setSetting(name, undefined);
    },
  };
}

/** Each once: the lens that evaluates again stands beside another. */
function placesOf(all: readonly Lens[]): string[] {
  return [...new Set(all.map(({ line, column }) => `${line}:${column}`))];
}

function tabsInSight(): (string | undefined)[] {
  return vscode.window.tabGroups.all.map(({ activeTab }) => activeTab?.label);
}
