import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { goodAnswer } from '../../support/editor-models.ts';
import { suite } from '../../support/vscode/suite.ts';
import { evaluate, lensLines, setSetting, until, write } from '../editor-features.ts';
import { edit, extension, file, folder } from '../extension.ts';
import type { Behaviour, FakeModels } from '../models/extension.ts';

const NAME = 'orders.trace.json';
const order = (name: string): string =>
  JSON.stringify([
    { role: 'user', content: `Where is order ${name}?` },
    { role: 'assistant', content: `Order ${name} left the warehouse.` },
  ]);

let models: FakeModels;

/** Answers with what the schema of the tool wants. */
const callsTool: Behaviour = ({ tools, texts }, report) => {
  const [tool] = tools;
  assert.ok(tool, 'The model was given no tool.');
  report(new vscode.LanguageModelToolCallPart('call-1', tool.name, goodAnswer(tool.inputSchema, texts)));
};

/** Gets JSON wanted in words, and answers in a fence. */
const writesFence: Behaviour = ({ tools, texts }, report) => {
  const [, schema = 'null'] = /fits this JSON Schema: (\{.*\})$/m.exec(texts.join('\n')) ?? [];
  const answer = tools.length > 0 ? 'Sure!' : JSON.stringify(goodAnswer(JSON.parse(schema), texts));
  for (const piece of ['```json\n', answer, '\n```']) report(new vscode.LanguageModelTextPart(piece));
};

const throws =
  (error: unknown): Behaviour =>
  () => {
    throw error;
  };

const says =
  (...texts: readonly string[]): Behaviour =>
  (_request, report) => {
    for (const text of texts) report(new vscode.LanguageModelTextPart(text));
  };

/** Each at every request, so that no other attempt helps. */
const FAULTS: Readonly<Record<string, Behaviour>> = {
  'no consent': throws(vscode.LanguageModelError.NoPermissions('no')),
  'no quota': throws(vscode.LanguageModelError.Blocked('no')),
  'a cancellation': throws(new vscode.CancellationError()),
  'a model that is gone': throws(vscode.LanguageModelError.NotFound('no')),
  'an error': throws(new Error('It broke.')),
  'a thrown text': throws('It broke.'),
  'a refusal': says("Sorry, I can't assist with that."),
  nothing: says(),
  'another shape': says('{"score": 5}'),
  'another tool': (_request, report) => report(new vscode.LanguageModelToolCallPart('call-1', 'other', { score: 5 })),
  'a cut stream': (_request, report) => {
    report(new vscode.LanguageModelTextPart('{"helpf'));
    throw new Error('net::ERR_CONNECTION_RESET');
  },
  'no end': async (_request, _report, token) => {
    await new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
  },
};

/** Evaluates a new trace. @returns what the lens above it says. */
async function evaluateOrder(name: string, behaviour: Behaviour): Promise<string> {
  models.behaviour = behaviour;
  models.requests.length = 0;
  const uri = await write(NAME, order(name));
  await evaluate(uri);
  const [lens = ''] = await until(
    `a lens for ${name}`,
    () => lensLines(uri),
    (lines) => lines.some((line) => /Undecided|No problems|Passed/.test(line) && !/outdated|evaluating/.test(line)),
  );
  return lens;
}

/** A judge that is one of the editor's models: the extension in `models` registers it. */
export const run = suite({
  async 'lists the model that another extension registers'() {
    const provider = vscode.extensions.getExtension<FakeModels>('turnwise-test.models');
    assert.ok(provider, 'The extension with the models is not installed.');
    models = await provider.activate();
    await extension().activate();
    const [model] = await until(
      'the model',
      async () => vscode.lm.selectChatModels({ vendor: 'acme' }),
      ({ length }) => length === 1,
    );
    assert.equal(model?.family, 'large');
  },

  async 'asks it with a private tool that it must call, once its vendor is allowed'() {
    const home = process.env.TURNWISE_HOME;
    assert.ok(home, 'The data folder of the test is not known.');
    await mkdir(home, { recursive: true });
    const consent = { folder: folder().fsPath, host: 'editor:acme', answer: 'allow' };
    await writeFile(join(home, 'consent.jsonl'), `${JSON.stringify(consent)}\n`);
    const judge = { provider: 'editor', model: 'acme/large', timeoutMs: 500, patienceMs: 1500 };
    await write('turnwise.config.json', JSON.stringify({ judge, metrics: ['helpfulness'] }));

    assert.doesNotMatch(await evaluateOrder('A-1', callsTool), /Undecided/);
    const [request, ...others] = models.requests;
    assert.deepEqual(others, []);
    assert.equal(request?.toolMode, vscode.LanguageModelChatToolMode.Required);
    assert.deepEqual(
      request.tools.map(({ name }) => name),
      ['turnwise_answer'],
    );
    assert.equal(request.texts.length, 2);
    assert.match(request.texts[1] ?? '', /Where is order A-1\?/);
  },

  async 'is not asked by an evaluation on save, unless the workspace allows it'() {
    models.requests.length = 0;
    models.behaviour = callsTool;
    const editor = await vscode.window.showTextDocument(file(NAME));
    const save = async (name: string): Promise<void> => {
      const { document } = editor;
      const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
      await edit(editor, (builder) => builder.replace(all, order(name)));
      await document.save();
    };
    await save('B-1');
    await until(
      'rules to have run',
      () => lensLines(file(NAME)),
      ([lens = '']) => /only the rules|judge/i.test(lens) || /outdated/.test(lens),
    );
    assert.equal(models.requests.length, 0);
    await setSetting('editorModelsOnSave', true);
    await save('B-2');
    await until(
      'a request',
      () => models.requests.length,
      (count) => count === 1,
    );
    // One about the first save would have come before.
    assert.match(models.requests[0]?.texts.join('') ?? '', /B-2/);
    await setSetting('editorModelsOnSave', undefined);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'asks a model that calls no tool for JSON in words'() {
    assert.doesNotMatch(await evaluateOrder('C-1', writesFence), /Undecided/);
    assert.deepEqual(
      models.requests.map(({ tools }) => tools.length),
      [1, 0],
    );
  },

  async 'is undecided, and never a pass, whatever goes wrong'() {
    for (const [index, [name, behaviour]] of Object.entries(FAULTS).entries()) {
      assert.match(await evaluateOrder(`D-${index}`, behaviour), /Undecided/, name);
      assert.ok(models.requests.length > 0, `${name}: the model was not asked.`);
    }
  },

  async 'is another judge in another version, and an error without the model'() {
    assert.doesNotMatch(await evaluateOrder('E-1', callsTool), /Undecided/);
    await evaluateOrder('E-1', callsTool);
    assert.deepEqual(models.requests, [], 'The same version is not asked twice.');
    models.setVersion('2');
    await until(
      'version 2',
      async () => vscode.lm.selectChatModels({ vendor: 'acme' }),
      ([model]) => model?.version === '2',
    );
    await evaluateOrder('E-1', callsTool);
    assert.equal(models.requests.length, 1);
    models.setVersion(null);
    await until(
      'no model',
      async () => vscode.lm.selectChatModels({ vendor: 'acme' }),
      ({ length }) => length === 0,
    );
    assert.match(await evaluateOrder('E-2', callsTool), /Undecided/);
    models.setVersion('1');
  },
});
