import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { delayedReply, type Script, startStubModels } from '../../support/stub-models.ts';
import { suite } from '../../support/vscode/suite.ts';
import { file, lenses, row, rows, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const long = file('long.trace.json');
const judged = file('judged.trace.json');

/** Evaluated in several seconds. */
const MANY_TURNS = 40_000;

/** Progress of a running evaluation, and how it is stopped. */
export const run = suite({
  async 'shows how many turns are evaluated, and stops a long evaluation before its end'() {
    await writeFile(long.fsPath, trace(Array.from({ length: MANY_TURNS }, (_, at) => `order ${at}`)));
    surfaces.forget();
    const evaluated = vscode.commands.executeCommand('turnwise.evaluate', long);
    const first = await waitFor('the first turns', [surfaces.onDidChange], () => turnsDone().at(0));
    assert.ok(first > 0);
    assert.equal(surfaces.contextOf('turnwise.evaluating'), true);
    await stopped(evaluated);
    assert.equal(surfaces.contextOf('turnwise.evaluating'), false);
    const last = turnsDone().at(-1) ?? 0;
    assert.ok(last < MANY_TURNS, `${last} turns were evaluated.`);
    // The stopped evaluation has left the queue.
    await vscode.commands.executeCommand('turnwise.evaluate', file('refund.json'));
    await row('the stopped session', ({ label, accessibilityInformation }) => {
      return String(label).startsWith('long') && /undecided/i.test(accessibilityInformation?.label ?? '');
    });
    await rm(long.fsPath);
    await vscode.commands.executeCommand('turnwise.clear');
  },

  async 'shows the turns that a slow judge has answered, and counts the others'() {
    await using stub = await startStubModels(answeringFirstTurn());
    await configure(stub.openai);
    const evaluated = vscode.commands.executeCommand('turnwise.evaluate', judged);
    await oneTurnIsDone();
    assert.deepEqual(surfaces.said, []);
    stub.play(() => undefined);
    await stopped(evaluated);
  },

  async 'keeps the finished turns of a stopped evaluation, and aborts the requests to the judge'() {
    await vscode.commands.executeCommand('turnwise.clear');
    await using stub = await startStubModels(answeringFirstTurn());
    await configure(stub.openai);
    const evaluated = vscode.commands.executeCommand('turnwise.evaluate', judged);
    await oneTurnIsDone();
    const requests = stub.requests.filter(({ prompt }) => !isOfFirstTurn(prompt));
    assert.ok(requests.length > 0);
    await stopped(evaluated);
    for (const { over } of requests) assert.equal(await over, 'hung up');
    const session = await row('the session', ({ description }) => !/evaluating/.test(String(description)));
    assert.equal(session.item.label, 'judged.trace.json');
    const [top] = await lenses(judged);
    assert.match(top ?? '', /Failed: task_completion 0\.00/);
    assert.deepEqual(surfaces.said, []);
  },

  async 'shows turns as the judge answers, and names the judge in the status bar at the end'() {
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

  async 'queues a second evaluation, and stops both'() {
    await using stub = await startStubModels(answeringFirstTurn());
    await configure(stub.openai);
    await vscode.commands.executeCommand('turnwise.clear');
    const first = vscode.commands.executeCommand('turnwise.evaluate', judged);
    await oneTurnIsDone();
    const second = vscode.commands.executeCommand('turnwise.evaluate', file('refund.json'));
    await stopped(Promise.all([first, second]));
    await rm(file('turnwise.config.json').fsPath);
  },
});

/** Stops all evaluations, and waits until they have ended. */
async function stopped(evaluated: PromiseLike<unknown>): Promise<void> {
  await vscode.commands.executeCommand('turnwise.stop');
  await evaluated;
}

/** The numbers of evaluated turns that the Results view has shown, in order. */
function turnsDone(): number[] {
  return surfaces.above.flatMap((text) => {
    const [, done] = /^(\d+) of 40000 turns$/.exec(text ?? '') ?? [];
    return done === undefined ? [] : Number(done);
  });
}

async function oneTurnIsDone(): Promise<void> {
  await row('one turn of three to be done', ({ description }) => /^evaluating: 1 of 3 turns/.test(String(description)));
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
  const args = { name: 'find_order', arguments: JSON.stringify({ subject }) };
  return { id: `call_${at}`, type: 'function', function: args };
}
