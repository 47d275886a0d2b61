import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  copy,
  editFinding,
  keepOpen,
  openRule,
  prompt,
  reevaluate,
  runCommand,
  saveFeedback,
} from '../../src/protocol/panel.ts';
import { sessionFeedback, sessionReport } from '../../src/protocol/report.ts';
import { turns } from '../../src/protocol/turn-rows.ts';
import type { RecordedRequest, Recording } from '../../webview/recording.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { promptFor } from './evaluated-report.ts';
import { failingTurn, recording, sampleReport, score, session, signalsOf, turn } from './recording.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

async function input(open: OpenReport, { method }: { readonly method: string }) {
  const all = await open.page.evaluate<Recording['requests']>('turnwise.requests');
  return all.filter((item) => item.method === method).map(({ params }) => params);
}

/** The editor's response to feedback. */
function feedbackAnswer(params: object, result: object): RecordedRequest {
  return { method: saveFeedback.method, params: { session, ...params }, result };
}

describe('feedback buttons', () => {
  const up = { value: 'up', note: null } as const;

  it('save feedback on a turn and on a finding, and show it as saved', async () => {
    const about = { turn: 0, of: { type: 'rule', rule: 'unknown-tool' } };
    const down = { value: 'down', note: null } as const;
    const log = recording(
      sampleReport([failingTurn(0)], {}, [
        feedbackAnswer({ turn: 0, of: { type: 'turn' }, feedback: up }, { written: '/x.turnwise.json' }),
        feedbackAnswer({ ...about, feedback: down }, { written: '/x.turnwise.json' }),
      ]),
    );
    await using open = await app.open(log);
    await open.page.getByRole('button', { name: 'Agree with turn 1', exact: true }).click();
    await open.page.getByRole('status').getByText('Feedback saved.').waitFor();
    await open.page.getByRole('button', { name: 'Disagree with "wrong tool"' }).click();
    expect(await input(open, saveFeedback)).toEqual([
      { session, turn: 0, of: { type: 'turn' }, feedback: up },
      { session, ...about, feedback: down },
    ]);
    const kept = recording(sampleReport([{ ...failingTurn(0), feedback: { ...up, at: null } }]));
    await open.change(kept, [0]);
    await open.page.getByRole('button', { name: 'Agree with turn 1', exact: true, pressed: true }).waitFor();
  });

  it('open a note in place and can be undone there, without a toast', async () => {
    const down = { value: 'down', note: null } as const;
    const noted = { value: 'down', note: 'It asked first.' } as const;
    const of = { turn: 0, of: { type: 'turn' } };
    const answers = [down, noted, null].map((feedback) => feedbackAnswer({ ...of, feedback }, { written: '/x' }));
    const withFeedback = (feedback: typeof down | typeof noted) =>
      recording(sampleReport([turn(0, { feedback: { ...feedback, at: null } })], {}, answers));
    await using open = await app.open(recording(sampleReport([turn(0)], {}, answers)));
    const { page } = open;
    await page.getByRole('button', { name: 'Disagree with turn 1' }).click();
    await open.change(withFeedback(down), [0]);
    const field = page.getByRole('textbox', { name: 'Note on turn 1' });
    await field.waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
    await field.fill('It asked first.');
    await field.press('Enter');
    await open.change(withFeedback(noted), [0]);
    await page.getByText('It asked first.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await input(open, saveFeedback)).toEqual(
      [down, noted, null].map((feedback) => ({ session, ...of, feedback })),
    );
  });

  it('ask for the outcome of the session, which counts from the next evaluation on', async () => {
    const feedback = { value: 'down', note: null } as const;
    const of = { turn: null, of: { type: 'turn' } };
    const report = sampleReport([turn(0)], {}, [feedbackAnswer({ ...of, feedback }, { written: '/x' })]);
    await using open = await app.open(recording(report));
    const { page } = open;
    const question = page.getByRole('group', { name: 'Your feedback on the session' });
    await question.getByRole('button', { name: 'No, the agent did not do its job' }).click();
    expect(await input(open, saveFeedback)).toEqual([{ session, ...of, feedback }]);
    const result = { feedback: { ...feedback, at: null }, isCounted: false, isRecorded: false };
    await open.change([...recording(report), { method: sessionFeedback.method, params: { session }, result }]);
    await page.getByText('Counts from the next evaluation on.').waitFor();
    const recorded = { method: sessionFeedback.method, params: { session }, result: { ...result, isRecorded: true } };
    await open.change([...recording(report), recorded]);
    await page.getByText('The outcome in the trace decides.').waitFor();
    await open.change([...recording(report), { ...recorded, result }]);
    await page.getByText('Counts from').getByRole('button', { name: 'Evaluate Again' }).click();
    expect((await open.asked()).map(({ method }) => method)).toContain(reevaluate.method);
  });

  it('save a note, and remove feedback again', async () => {
    const row = turn(0, { feedback: { ...up, at: null } });
    const noted = { value: 'up', note: 'It asked first.' };
    const log = recording(
      sampleReport([row], {}, [
        feedbackAnswer({ turn: 0, of: { type: 'turn' }, feedback: noted }, { written: '/x' }),
        feedbackAnswer({ turn: 0, of: { type: 'turn' }, feedback: null }, { written: '/x' }),
      ]),
    );
    await using open = await app.open(log);
    await open.page.getByRole('button', { name: 'Add Note' }).click();
    await open.page.getByRole('textbox', { name: 'Note on turn 1' }).waitFor();
    expect(await open.page.locator(':focus').getAttribute('maxlength')).toBe('4000');
    // Shortcut keys type letters in the note field.
    await open.page.keyboard.type('It asked first.');
    await open.page.getByRole('button', { name: 'Save' }).click();
    await open.page.getByRole('button', { name: 'Agree with turn 1', exact: true }).click();
    expect(await input(open, saveFeedback)).toEqual(
      [noted, null].map((feedback) => ({ session, turn: 0, of: { type: 'turn' }, feedback })),
    );
  });

  it('show why feedback was not saved', async () => {
    const log = recording(
      sampleReport([turn(0)], {}, [
        feedbackAnswer({ turn: 0, of: { type: 'turn' }, feedback: up }, { error: 'The folder cannot be written to.' }),
      ]),
    );
    await using open = await app.open(log);
    await open.page.getByRole('button', { name: 'Agree with turn 1', exact: true }).click();
    await open.page.getByRole('alert').getByText('The folder cannot be written to.').waitFor();
  });
});

describe('the prompt of a score', () => {
  it('is shown in full without sending anything', async () => {
    const call = {
      judge: 'openai/some-model',
      questions: ['task_completion', 'helpfulness'],
      tokens: 1234,
      times: 1,
      system: 'You judge.',
      parts: ['The turn.', '<b>The question.</b>'],
      schema: '{"type":"object"}',
    };
    const params = { session, turn: 0, metric: 'task_completion' };
    const log = recording(
      sampleReport([turn(0, { scores: [score('task_completion', 0.2, { hasPrompt: true })] })], {}, [
        { method: prompt.method, params, result: { calls: [call], sentences: ['It is asked with others.'] } },
      ]),
    );
    await using open = await app.open(log);
    await open.page.getByRole('button', { name: /^(task_completion|helpfulness) / }).click();
    await open.page.getByRole('button', { name: 'Show Prompt' }).click();
    const dialog = open.page.getByRole('dialog', { name: 'Prompt of task_completion for turn 1' });
    for (const text of [
      'It is asked with others.',
      'about 1,234 tokens',
      'openai/some-model',
      'Questions: task_completion, helpfulness',
      'You judge.',
      '<b>The question.</b>',
      '{"type":"object"}',
    ]) {
      await dialog.getByText(text).waitFor();
    }
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await open.page.locator(':focus').textContent()).toBe('Show Prompt');
  });

  it('shows a hostile trace as plain text, which can be copied as sent', async () => {
    const hostile = '<img src=x onerror=alert(1)>\n[click](command:evil) **bold** \u202e`code` </script>';
    await using folder = await temporaryFolder({
      'a.trace.json': chat(user(hostile), agent('A.')),
      'turnwise.config.json': JSON.stringify({ metrics: ['helpfulness'] }),
    });
    const written = await promptFor(join(folder.path, 'a.trace.json'), 'helpfulness');
    const params = { session, turn: 0, metric: 'helpfulness' };
    const log = recording(
      sampleReport([turn(0, { scores: [score('helpfulness', 2, { hasPrompt: true, passed: false })] })], {}, [
        { method: prompt.method, params, result: written },
      ]),
    );
    await using open = await app.open(log, { permissions: ['clipboard-read', 'clipboard-write'] });
    await open.page.getByRole('button', { name: /^(task_completion|helpfulness) / }).click();
    await open.page.getByRole('button', { name: 'Show Prompt' }).click();
    const dialog = open.page.getByRole('dialog');
    await dialog.getByText('No judge is configured. This is what a judge would be sent.').waitFor();
    const text = await dialog.locator('pre').allTextContents();
    // Prompts name hidden characters.
    expect(text.join('\n')).toContain(hostile.replace('\u202e', '\\u{202e}'));
    expect(await dialog.locator('img, a, strong, pre code').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Copy Messages' }).click();
    await dialog.getByRole('status').getByText('Copied.').waitFor();
    const [call] = written.calls;
    expect(await open.page.evaluate('navigator.clipboard.readText()')).toBe(
      [call?.system, ...(call?.parts ?? [])].join('\n\n'),
    );
  });
});

describe('copying', () => {
  it('copies a turn or the session through the editor, and confirms it', async () => {
    const log = recording(
      sampleReport([turn(0)], {}, [
        { method: copy.method, params: { session, turn: 0 }, result: { copied: true } },
        { method: copy.method, params: { session, turn: null }, result: { copied: false } },
      ]),
    );
    await using open = await app.open(log);
    await open.page.getByRole('button', { name: 'Copy turn 1 as Markdown' }).click();
    await open.page.getByRole('status').getByText('Copied.').waitFor();
    await open.page.getByRole('button', { name: 'More' }).click();
    await open.page.getByRole('button', { name: 'Copy Session as Markdown' }).click();
    await open.page.getByRole('status').getByText('Copying failed.').waitFor();
    expect(await input(open, copy)).toEqual([0, null].map((item) => ({ session, turn: item })));
  });
});

describe('next steps', () => {
  const needs = (status: 'needs_judge' | 'error') => [{ status, metrics: 2, reasons: [] }] as const;

  it('copy an issue about problems', async () => {
    const params = { session, turn: null, as: 'issue' };
    const copied = [{ method: copy.method, params, result: { copied: true } }];
    await using open = await app.open(recording(sampleReport([failingTurn(0)], {}, copied)));
    await open.page.getByRole('button', { name: 'Copy as Issue' }).click();
    await open.page.getByRole('status').getByText('Copied.').waitFor();
    expect(await input(open, copy)).toEqual([params]);
  });

  it('add the session, or a turn with a problem, to the tests', async () => {
    await using open = await app.open(recording(sampleReport([turn(0), failingTurn(1)])));
    await open.page.getByRole('button', { name: 'Add to Tests', exact: true }).click();
    await open.page.getByRole('button', { name: 'Add turn 2 to tests' }).click();
    expect(await input(open, runCommand)).toEqual([
      { session, command: 'addToTests' },
      { session, command: 'addToTests', turn: 1 },
    ]);
    expect(await open.page.getByRole('button', { name: 'Add turn 1 to tests' }).count()).toBe(0);
  });

  it('choose a judge where one is missing, and only there', async () => {
    await using open = await app.open(recording(sampleReport([turn(0)], { unscored: needs('needs_judge') })));
    await open.page.getByRole('button', { name: 'Choose Judge…' }).click();
    expect(await input(open, runCommand)).toEqual([{ session, command: 'chooseJudge' }]);
    await open.change(recording(sampleReport([turn(0)], { revision: 2 })));
    await open.page.getByRole('button', { name: 'Choose Judge…' }).waitFor({ state: 'detached' });
  });

  it('retry after a judge that failed, or show the log', async () => {
    await using open = await app.open(recording(sampleReport([turn(0)], { unscored: needs('error') })));
    await open.page.getByRole('button', { name: 'Retry' }).click();
    await open.page.getByRole('button', { name: 'Show Log' }).click();
    await open.page.getByRole('button', { name: 'Change Judge…' }).click();
    expect(await input(open, runCommand)).toEqual(['showLog', 'chooseJudge'].map((command) => ({ session, command })));
  });

  it('suppress a finding or set the severity of its rule', async () => {
    await using open = await app.open(recording(sampleReport([failingTurn(0)])));
    await open.page.getByRole('button', { name: 'Suppress unknown-tool' }).click();
    await open.page.getByRole('button', { name: 'Set severity of unknown-tool' }).click();
    const finding = { uri: turn(0).target.uri, session, turn: 0, rule: 'unknown-tool' };
    expect(await input(open, editFinding)).toEqual([
      { edit: 'suppress', ...finding },
      { edit: 'severity', ...finding },
    ]);
  });

  it('keep the panel open', async () => {
    await using open = await app.open(recording(sampleReport([turn(0)])));
    await open.page.getByRole('button', { name: 'Keep Open' }).click();
    expect((await open.asked()).map(({ method }) => method)).toContain(keepOpen.method);
    await open.tell({ event: 'pinned' });
    await open.page.getByRole('button', { name: 'Keep Open', pressed: true }).waitFor();
    await open.page.reload();
    await open.page.getByRole('button', { name: 'Keep Open', pressed: true }).waitFor();
  });
});

describe('a rule link', () => {
  it('opens the documentation of the rule', async () => {
    await using open = await app.open(recording(sampleReport([failingTurn(0)])));
    await open.page.getByRole('button', { name: 'Rule', exact: true }).click();
    expect(await input(open, openRule)).toEqual([{ rule: 'unknown-tool' }]);
  });
});

const OTHER = 'file:///traces/made.json#other';
const otherParts = sampleReport([turn(0, { output: { text: 'Another answer', omitted: 0, target: turn(0).target } })], {
  id: 'other',
  key: OTHER,
  sessionsInFile: 2,
});
const otherLog = [
  ...recording(sampleReport([turn(0)], { sessionsInFile: 2 })),
  { method: sessionReport.method, params: { session: OTHER }, result: { header: otherParts.header } },
  { method: turns.method, params: { session: OTHER }, rows: otherParts.rows },
  { ...signalsOf([]), params: { session: OTHER } },
];

describe('the path of the session', () => {
  it('leads to all sessions of the file', async () => {
    await using open = await app.open(otherLog);
    await open.page.getByRole('heading', { name: 'made' }).getByRole('button').click();
    expect(await input(open, runCommand)).toEqual([{ session, command: 'showSessions' }]);
  });

  it('shows another session when the editor selects a turn in it', async () => {
    await using open = await app.open(otherLog);
    await open.page.getByText('Answer 1').waitFor();
    await open.tell({ event: 'select', session: OTHER, turn: 0 });
    await open.page.getByText('Another answer').waitFor();
    await open.page.locator('#turn-1[aria-current]').waitFor();
  });
});

describe('a loading report', () => {
  it('opens at the turn that the editor selects meanwhile', async () => {
    const report = sampleReport([turn(0), turn(1), turn(2)]);
    const header = Promise.withResolvers<unknown>();
    const log = recording(report).filter(({ method }) => method !== sessionReport.method);
    await using open = await app.open(log, {
      answer: (method) => (method === sessionReport.method ? header.promise : undefined),
    });
    await open.page.getByText('Loading report…').waitFor();
    await open.tell({ event: 'select', session, turn: 1 });
    await open.tell({ event: 'select', session, turn: 2 });
    header.resolve({ header: report.header });
    await open.page.locator('#turn-3[aria-current]').waitFor();
  });
});

describe('the context menu', () => {
  /** The context VS Code collects for its menu: of the element and its ancestors. */
  async function toldAt({ page }: OpenReport, selector: string) {
    return page.evaluate<unknown>(`(() => {
      let told = {};
      for (let at = document.querySelector(${JSON.stringify(selector)}); at; at = at.parentElement) {
        if (at.dataset.vscodeContext) told = { ...JSON.parse(at.dataset.vscodeContext), ...told };
      }
      return told;
    })()`);
  }

  it('gets the shown turn or session, also after switching sessions', async () => {
    await using open = await app.open(otherLog);
    await open.page.getByText('Answer 1').waitFor();
    expect(await toldAt(open, '#turn-1 .transcript, #turn-1 p')).toEqual({ webviewSection: 'turn', session, turn: 0 });
    expect(await toldAt(open, '.summary')).toEqual({ session });
    await open.tell({ event: 'select', session: OTHER, turn: 0 });
    await open.page.getByText('Another answer').waitFor();
    expect(await toldAt(open, '#turn-1 p')).toEqual({ webviewSection: 'turn', session: OTHER, turn: 0 });
    expect(await toldAt(open, '.summary')).toEqual({ session: OTHER });
  });
});

describe('the signals chart', () => {
  const signal = {
    metric: 'confidence',
    question: 'How sure is it?',
    scale: [0, 1],
    threshold: 0.5,
    lowerIsBetter: false,
    values: [0.9, 0.4, null],
  } as const;
  const log = recording(sampleReport([turn(0), turn(1), turn(2)], {}, [signalsOf([signal])]));

  it('shows the values of the hovered turn and selects it on click', async () => {
    await using open = await app.open(log);
    await open.page.getByRole('tab', { name: 'Metrics' }).click();
    const chart = open.page.getByRole('img', { name: /^Lines of confidence over 3 turns/ });
    const box = await chart.boundingBox();
    if (!box) throw new Error('There is no chart.');
    await open.page.mouse.move(box.x + box.width / 2, box.y + 10);
    const legend = open.page.locator('.legend');
    await expect.poll(() => legend.textContent()).toBe('confidence 0.40turn 2');
    await open.page.mouse.down();
    await open.page.mouse.up();
    await open.page.locator('#turn-2[aria-current]').waitFor();
  });

  it('can be shown as a table', async () => {
    await using open = await app.open(log);
    await open.page.getByRole('tab', { name: 'Metrics' }).click();
    await open.page.getByRole('button', { name: 'As Table' }).click();
    const table = open.page.getByRole('table');
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(['turn', 'confidence ≥ 0.50']);
    expect(await table.getByRole('cell').allTextContents()).toEqual(['0.90', '0.40', '–']);
    await table.getByRole('button', { name: '3' }).click();
    await open.page.locator('#turn-3[aria-current]').waitFor();
  });

  it('is in the Metrics tab', async () => {
    await using open = await app.open(log, { viewport: { width: 400, height: 800 } });
    await open.page.getByText('Answer 1').waitFor();
    const chart = open.page.getByRole('img', { name: /^Lines of/ });
    expect(await chart.count()).toBe(0);
    await open.page.getByRole('tab', { name: 'Metrics' }).click();
    await chart.waitFor();
  });
});
