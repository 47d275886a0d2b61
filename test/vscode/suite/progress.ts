import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { delayedReply, type Script, startStubModels } from '../../support/stub-models.ts';
import { suite } from '../../support/vscode/suite.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import { file, lenses, row, rows, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const long = file('long.trace.json');
const judged = file('judged.trace.json');

/** Takes the rules several seconds. */
const MANY_TURNS = 40_000;

/** While an evaluation goes on: what of it is seen, and that it ends when somebody wants it to. */
export const run = suite({
  async 'progress says how many turns of how many are done, and stopping ends it within a second'() {
    await writeFile(long.fsPath, trace(Array.from({ length: MANY_TURNS }, (_, at) => `order ${at}`)));
    const times: number[] = [];
    // Other work on the machine may make one slow, and not all.
    while (times.length < 3 && !times.some((time) => time < 1000)) {
      surfaces.forget();
      const evaluated = vscode.commands.executeCommand('turnwise.evaluate', long);
      const words = await waitFor('turns to be done', [surfaces.onDidChange], () => {
        return surfaces.above.findLast((text) => / of 40000 turns$/.test(text ?? ''));
      });
      assert.match(words ?? '', /^Evaluating: [1-9]\d* of 40000 turns$/);
      assert.equal(surfaces.contextOf('turnwise.evaluating'), true);
      times.push(await stopped(evaluated));
      assert.equal(surfaces.contextOf('turnwise.evaluating'), false);
    }
    assert.ok(
      times.some((time) => time < 1000),
      `It took ${times.map(Math.round).join(', ')} ms.`,
    );
    // What was stopped is not computed to its end before anybody else has a turn.
    await withTimeout(
      10_000,
      'another evaluation',
      vscode.commands.executeCommand('turnwise.evaluate', file('refund.json')),
    );
    await rm(long.fsPath);
    await vscode.commands.executeCommand('turnwise.clear');
  },

  async 'while a judge is slow, turns that it has answered are there, and those that it has not are told of'() {
    await using stub = await startStubModels(answeringFirstTurn());
    await configure(stub.openai);
    const evaluated = vscode.commands.executeCommand('turnwise.evaluate', judged);
    await oneTurnIsDone();
    assert.deepEqual(surfaces.said, []);
    stub.play(() => undefined);
    await stopped(evaluated);
  },

  async 'what has landed when it is stopped stays, and the judge is left alone'() {
    await vscode.commands.executeCommand('turnwise.clear');
    await using stub = await startStubModels(answeringFirstTurn());
    await configure(stub.openai);
    const evaluated = vscode.commands.executeCommand('turnwise.evaluate', judged);
    await oneTurnIsDone();
    const held = stub.requests.filter(({ prompt }) => !isOfFirstTurn(prompt));
    assert.ok(held.length > 0);
    assert.ok((await stopped(evaluated)) < 1000);
    for (const { over } of held) assert.equal(await over, 'hung up');
    const session = await row('the session', ({ description }) => !/evaluating/.test(String(description)));
    assert.equal(session.item.label, 'judged');
    const [top] = await lenses(judged);
    assert.match(top ?? '', /undecided/);
    assert.deepEqual(surfaces.said, []);
  },

  async 'turns land one after the other until all are there, and the status names the judge'() {
    const gate = Promise.withResolvers<void>();
    await using stub = await startStubModels(answeringFirstTurn(gate.promise));
    await configure(stub.openai);
    await vscode.commands.executeCommand('turnwise.clear');
    const evaluated = vscode.commands.executeCommand('turnwise.evaluate', judged);
    await oneTurnIsDone();
    gate.resolve();
    await evaluated;
    const [session] = await rows();
    assert.doesNotMatch(String(session?.item.description), /evaluating/);
    assert.match(surfaces.status?.text ?? '', /^Turnwise: .+ · stub-judge$/);
  },

  async 'a second evaluation of what is evaluated waits its turn, and both are over when it is stopped'() {
    await using stub = await startStubModels(answeringFirstTurn());
    await configure(stub.openai);
    await vscode.commands.executeCommand('turnwise.clear');
    const first = vscode.commands.executeCommand('turnwise.evaluate', judged);
    await oneTurnIsDone();
    const second = vscode.commands.executeCommand('turnwise.evaluate', file('refund.json'));
    assert.ok((await stopped(Promise.all([first, second]))) < 1000);
    await rm(file('turnwise.config.json').fsPath);
  },
});

/** Milliseconds until what goes on is over. */
async function stopped(evaluated: PromiseLike<unknown>): Promise<number> {
  const begun = performance.now();
  await vscode.commands.executeCommand('turnwise.stop');
  await evaluated;
  return performance.now() - begun;
}

async function oneTurnIsDone(): Promise<void> {
  await row('one turn of three to be done', ({ description }) => description === 'evaluating: 1 of 3 turns');
}

/** Answers what is asked about the first turn alone; all else when the promise settles. */
function answeringFirstTurn(rest: Promise<void> = new Promise(() => {})): Script {
  return ({ prompt }) => (isOfFirstTurn(prompt) ? undefined : delayedReply(rest));
}

function isOfFirstTurn(prompt: string): boolean {
  return !/B-2|C-3/.test(prompt);
}

async function configure(baseUrl: string): Promise<void> {
  await writeFile(judged.fsPath, trace(['order A-1', 'order B-2', 'order C-3']));
  const judge = { provider: 'openai', model: 'stub-judge', baseUrl };
  await writeFile(file('turnwise.config.json').fsPath, JSON.stringify({ judge }));
}

/** A turn for each of these. */
function trace(subjects: readonly string[]): string {
  const messages = subjects.flatMap((subject, at) => [
    { role: 'user', content: `Where is ${subject}?` },
    { role: 'assistant', content: null, tool_calls: [call(at, subject)] },
    { role: 'tool', tool_call_id: `call_${at}`, content: `{"status":"${subject} was delivered"}` },
    { role: 'assistant', content: `I have coverage: ${subject} was delivered.` },
  ]);
  return JSON.stringify(messages, null, 1);
}

function call(at: number, subject: string) {
  const given = { name: 'find_order', arguments: JSON.stringify({ subject }) };
  return { id: `call_${at}`, type: 'function', function: given };
}
