import { beforeEach, describe, expect, it, vi } from 'vitest';
import { headerOfNothing } from './report-header.ts';
import { type FakePanel, fake, noCopies } from './report-vscode.ts';

vi.mock('vscode', () => import('./report-vscode.ts'));
const vscode = await import('vscode');
const { ReportPanels } = await import('../../../src/extension/report-panels.ts');
const { EvidenceMarker } = await import('../../../src/extension/evidence-marker.ts');
const { parseWebUrl } = await import('../../../src/extension/open-link.ts');

const URI = 'file:///t/a.json';
const key = (id: string, uri = URI) => `${uri}#${id}`;

interface Asked {
  readonly method: string;
  readonly params: unknown;
  readonly isCancelled: () => boolean;
}

type Answers = Record<string, (params: unknown) => unknown>;

/** Panels with a scripted server. */
function panels(answers: Answers = {}, { isRunning = true, isExpected = false } = {}) {
  const time = { now: 0 };
  const askeds: Asked[] = [];
  const expected: unknown[] = [];
  const text: unknown[] = [];
  const evaluated: unknown[][] = [];
  const server: ConstructorParameters<typeof ReportPanels>[0]['server'] = {
    isRunning,
    async request({ method, result }, params, token) {
      askeds.push({ method, params, isCancelled: () => token?.isCancellationRequested ?? false });
      const { parse } = await import('zod/mini');
      return parse(result, await answers[method]?.(params));
    },
  };
  const services: ConstructorParameters<typeof ReportPanels>[0] = {
    extensionUri: vscode.Uri.parse('file:///extension'),
    log: vscode.window.createOutputChannel('t', { log: true }),
    server,
    evaluation: {
      async run(...urises) {
        evaluated.push(urises);
        return { complete: true, sessions: 1, problems: [] };
      },
      stop: () => evaluated.push(['stop']),
    },
    stateRestore: { hasStoredResults: isExpected },
    follow: {
      expect: (...uris) => expected.push(uris),
      show: async (turnSelection) => void text.push(turnSelection),
    },
    evidence: new EvidenceMarker(noCopies),
  };
  const reports = new ReportPanels(services, () => time.now);
  return { time, reports, requests: askeds, expected, shown: text, evaluated };
}

/** Sends a request as the page does. */
async function ask(panel: FakePanel | undefined, method: string, params: unknown): Promise<unknown> {
  const id = Math.floor(Math.random() * 1e9);
  panel?.messages.fire({ id, method, params });
  return vi.waitFor(() => {
    const result = panel?.posted.find((item) => typeof item === 'object' && item && 'id' in item && item.id === id);
    if (!result) throw new Error('There is no answer yet.');
    return result;
  }, 30_000);
}

const events = (panel: FakePanel | undefined) =>
  panel?.posted.filter((item) => typeof item === 'object' && item && 'event' in item);

const header = (revision: number) => ({ header: { ...headerOfNothing(key('one')), revision } });

beforeEach(() => fake.reset());

describe('a report panel', () => {
  it('opens over the active editor without taking the focus', () => {
    const { reports } = panels();
    reports.open({ key: key('one') }, 3);
    expect(fake.created).toEqual([['turnwise.report', { viewColumn: -1, preserveFocus: true }]]);
    const [panel] = fake.panels;
    expect(panel?.title).toBe('Report: a.json');
    expect(panel?.iconPath).toMatchObject({ light: expect.anything(), dark: expect.anything() });
    expect(panel?.webview.html).toContain(`data-session="${key('one')}" data-turn="3"`);
    expect(panel?.webview.options).toMatchObject({ localResourceRoots: [expect.anything()] });
  });

  it('is reused for other sessions, turns and files', async () => {
    const { reports } = panels({ 'turnwise/report': () => header(1) });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    await ask(panel, 'turnwise/report', { session: key('one') });
    // The page counts as loaded after its first request was answered.
    await new Promise(setImmediate);
    reports.open({ key: key('one') }, 2);
    reports.open({ key: key('two') }, null);
    reports.open({ key: key('one', 'file:///t/b.json') }, null);
    expect(fake.panels).toHaveLength(1);
    expect(panel?.revealed).toEqual(Array(3).fill([-1, true]));
    expect(events(panel)).toEqual([
      { event: 'select', session: key('one'), turn: 2 },
      { event: 'select', session: key('two'), turn: null },
      { event: 'select', session: key('one', 'file:///t/b.json'), turn: null },
    ]);
    expect(panel?.title).toBe('Report: b.json');
  });

  it('is not reused once it is kept open from its page, by command or by a double click', async () => {
    const { reports, time } = panels();
    reports.open({ key: key('one') }, null);
    await ask(fake.panels[0], 'turnwise/panel/keep', {});
    reports.open({ key: key('two') }, null);
    const [, second] = fake.panels;
    if (second) second.active = true;
    reports.keepOpen();
    reports.open({ key: key('three') }, null);
    time.now += 400;
    reports.open({ key: key('three') }, null);
    time.now += 5000;
    reports.open({ key: key('four') }, null);
    time.now += 5000;
    reports.open({ key: key('four') }, null);
    expect(fake.panels).toHaveLength(4);
    reports.open({ key: key('five') }, null);
    reports.open({ key: key('two') }, null);
    expect(fake.panels).toHaveLength(4);
    expect(second?.revealed).toHaveLength(1);
  });

  it('tells its page that it is kept open, also after it has loaded again', async () => {
    const { reports } = panels({ 'turnwise/report': () => header(1) });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    await ask(panel, 'turnwise/panel/keep', {});
    expect(events(panel)).toEqual([]);
    await ask(panel, 'turnwise/report', { session: key('one') });
    await expect.poll(() => events(panel)).toEqual([{ event: 'pinned' }]);
  });

  it('opens and reopens in the column of reports, not over its file', () => {
    const { reports } = panels();
    fake.arrange([URI], ['file:///t/b.json'], ['Report: other']);
    reports.open({ key: key('one') }, null);
    expect(fake.created).toEqual([['turnwise.report', { viewColumn: 3, preserveFocus: true }]]);
    fake.arrange(['Report: a.json', URI], ['Report: other']);
    reports.open({ key: key('one') }, null);
    fake.arrange(['Report: a.json'], ['Report: other']);
    reports.open({ key: key('one') }, null);
    expect(fake.panels[0]?.revealed).toEqual([
      [2, true],
      [1, true],
    ]);
  });

  it('sends the selection to a hidden panel when it is visible again', async () => {
    const { reports } = panels({ 'turnwise/report': () => header(1) });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    if (panel) panel.visible = false;
    reports.open({ key: key('one') }, 7);
    expect(events(panel)).toEqual([]);
    if (panel) panel.visible = true;
    await ask(panel, 'turnwise/report', { session: key('one') });
    await expect.poll(() => events(panel)).toEqual([{ event: 'select', session: key('one'), turn: 7 }]);
  });

  it('sends a selection made during loading when its page has loaded', async () => {
    const { reports } = panels({ 'turnwise/report': () => header(1) });
    reports.open({ key: key('one') }, null);
    reports.open({ key: key('one') }, 7);
    const [panel] = fake.panels;
    expect(events(panel)).toEqual([]);
    await ask(panel, 'turnwise/report', { session: key('one') });
    await expect.poll(() => events(panel)).toEqual([{ event: 'select', session: key('one'), turn: 7 }]);
  });

  it('is restored once after a reload, with its saved state', async () => {
    const { reports } = panels();
    const made = () => vscode.window.createWebviewPanel('turnwise.report', 'Old', vscode.ViewColumn.Two);
    await reports.deserializeWebviewPanel(made(), { session: key('one'), turn: 4, view: { tab: 'run' } });
    await reports.deserializeWebviewPanel(made(), { session: key('two'), turn: null });
    await reports.deserializeWebviewPanel(made(), { session: 5 });
    await reports.deserializeWebviewPanel(made(), { session: key('three'), turn: null, isPinned: true });
    expect(fake.panels.map(({ isDisposed }) => isDisposed)).toEqual([false, true, true, false]);
    expect(fake.panels[0]?.webview.html).toContain('data-turn="4"');
  });

  it('can be opened again after it was closed', () => {
    const { reports } = panels();
    reports.open({ key: key('one') }, null);
    fake.panels[0]?.dispose();
    reports.open({ key: key('one') }, null);
    expect(fake.panels).toHaveLength(2);
  });
});

describe('the change notification', () => {
  it('names the turns that changed since the revision the page has', async () => {
    const since: unknown[] = [];
    const { reports } = panels({
      'turnwise/report': () => header(41),
      'turnwise/report/changes': (params) => {
        since.push(params);
        return { revision: 42, turns: [3, 5] };
      },
    });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    await ask(panel, 'turnwise/report', { session: key('one') });
    await new Promise(setImmediate);
    reports.refresh(new Set(['file:///t/other.json']));
    reports.refresh(new Set([URI]));
    await expect.poll(() => events(panel)).toEqual([{ event: 'changed', turns: [3, 5] }]);
    reports.refresh(undefined);
    await expect.poll(() => events(panel)).toHaveLength(2);
    expect(since).toEqual([
      { session: key('one'), since: 41 },
      { session: key('one'), since: 42 },
    ]);
  });

  it('requests changes once more after a change during a request', async () => {
    const gate = Promise.withResolvers<void>();
    const { reports, requests } = panels({
      'turnwise/report/changes': async () => {
        await gate.promise;
        return { revision: 1, turns: [] };
      },
    });
    reports.open({ key: key('one') }, null);
    for (let times = 0; times < 5; times += 1) reports.refresh(undefined);
    gate.resolve();
    await expect.poll(() => events(fake.panels[0])).toHaveLength(2);
    expect(requests).toHaveLength(2);
  });

  it('makes no request for a hidden page or without a server', async () => {
    const { reports, requests } = panels({}, { isRunning: false });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    if (panel) panel.visible = false;
    reports.refresh(undefined);
    if (panel) panel.visible = true;
    reports.refresh(undefined);
    await expect.poll(() => events(panel)).toEqual([{ event: 'changed', turns: null }]);
    expect(requests).toEqual([]);
  });
});

describe('a request of a panel', () => {
  it('does not start a server that would have no results', async () => {
    const { reports, requests } = panels({}, { isRunning: false });
    reports.open({ key: key('one') }, null);
    expect(await ask(fake.panels[0], 'turnwise/report', { session: key('one') })).toMatchObject({
      result: { header: null },
    });
    expect(requests).toEqual([]);
    const kept = panels({ 'turnwise/report': () => ({ header: null }) }, { isRunning: false, isExpected: true });
    kept.reports.open({ key: key('one', 'file:///t/kept.json') }, null);
    await ask(fake.panels[1], 'turnwise/report', { session: key('one') });
    expect(kept.requests).toHaveLength(1);
  });

  it('is cancelled at the server when the page cancels it or the panel closes', async () => {
    const { reports, requests } = panels({ 'turnwise/find': () => new Promise(() => {}) });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    for (const id of [1, 2]) {
      panel?.messages.fire({ id, method: 'turnwise/find', params: { session: key('one'), query: { text: 'x' } } });
    }
    await expect.poll(() => requests).toHaveLength(2);
    panel?.messages.fire({ cancel: 1 });
    expect(requests.map(({ isCancelled }) => isCancelled())).toEqual([true, false]);
    panel?.dispose();
    expect(requests.map(({ isCancelled }) => isCancelled())).toEqual([true, true]);
  });

  it('runs the commands of next steps for its file', async () => {
    const { reports } = panels();
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    for (const command of ['showSessions', 'chooseJudge', 'showLog']) {
      await ask(panel, 'turnwise/panel/command', { session: key('one'), command });
    }
    await ask(panel, 'turnwise/panel/command', { session: key('one'), command: 'addToTests', turn: 2 });
    const finding = { uri: URI, session: key('one'), turn: 2, rule: 'refusal' };
    await ask(panel, 'turnwise/panel/finding', { edit: 'suppress', ...finding });
    expect(fake.executed).toMatchObject([
      ['turnwise.showSessions', {}],
      ['turnwise.chooseJudge'],
      ['turnwise.showLog'],
      ['turnwise.addToTests', { session: key('one'), turn: 2 }],
      ['turnwise.suppressFinding', finding],
    ]);
  });

  it('reveals a location and its cursor move is not followed', async () => {
    const range = { start: { line: 3, character: 1 }, end: { line: 4, character: 2 } };
    const { reports, expected } = panels({ 'turnwise/locate': () => ({ location: { uri: URI, range } }) });
    reports.open({ key: key('one') }, null);
    fake.arrange([URI], ['Report: a.json']);
    await ask(fake.panels[0], 'turnwise/panel/reveal', { target: { uri: URI, pointer: '/x' }, focus: false });
    expect(fake.executed).toMatchObject([
      ['vscode.open', {}, { viewColumn: 1, preserveFocus: true, selection: { start: range.start, end: range.start } }],
      ['setContext', 'turnwise.hasSeenEvidence', true],
    ]);
    expect(expected).toHaveLength(1);
  });

  it('evaluates again without changing the view, and stops', async () => {
    const { reports, evaluated } = panels();
    reports.open({ key: key('one') }, null);
    await ask(fake.panels[0], 'turnwise/panel/evaluate', { session: key('one') });
    await ask(fake.panels[0], 'turnwise/panel/stop', {});
    expect(evaluated).toMatchObject([[[{}], 'here'], ['stop']]);
  });

  it('copies Markdown, or reports that there is none', async () => {
    let text: string | null = '## Turn 1';
    const { reports } = panels({ 'turnwise/markdown': () => ({ text }) });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    const args = { session: key('one'), turn: 0 };
    expect(await ask(panel, 'turnwise/panel/copy', args)).toMatchObject({ result: { copied: true } });
    expect(fake.clipboard).toBe('## Turn 1');
    text = null;
    expect(await ask(panel, 'turnwise/panel/copy', args)).toMatchObject({ result: { copied: false } });
    expect(fake.shown[0]?.[0]).toContain('a.json changed');
  });

  it('refreshes the turn only when feedback was saved', async () => {
    let outcome: unknown = { error: 'Nothing was written.' };
    const { reports } = panels({ 'turnwise/opinion': () => outcome });
    reports.open({ key: key('one') }, null);
    const [panel] = fake.panels;
    const args = { session: key('one'), turn: 6, of: { type: 'turn' }, feedback: { value: 'up', note: null } };
    await ask(panel, 'turnwise/opinion', args);
    expect(events(panel)).toEqual([]);
    outcome = { written: '/t/a.turnwise.json' };
    await ask(panel, 'turnwise/opinion', args);
    expect(events(panel)).toEqual([{ event: 'changed', turns: [6] }]);
  });

  it('fails with a message if no handler exists', async () => {
    const { reports } = panels();
    reports.open({ key: key('one') }, null);
    expect(await ask(fake.panels[0], 'turnwise/panel/rm', {})).toMatchObject({ error: expect.stringContaining('rm') });
  });
});

describe('a link in a trace', () => {
  const url = 'https://example.com/a?b=c#d';

  async function pressed(address: string, answer: string | undefined): Promise<unknown> {
    const { reports } = panels();
    fake.answer = answer;
    reports.open({ key: key('one') }, null);
    return ask(fake.panels[0], 'turnwise/panel/link', { url: address });
  }

  it('opens after the user has seen the whole URL and agreed', async () => {
    expect(await pressed(url, 'Open')).toMatchObject({ result: { opened: true } });
    expect(fake.shown[0]?.[1]).toEqual({ modal: true, detail: url });
    expect(fake.opened).toEqual([url]);
  });

  it('does not open without consent', async () => {
    expect(await pressed(url, undefined)).toMatchObject({ result: { opened: false } });
    expect(fake.opened).toEqual([]);
  });

  it.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'file:///etc/passwd',
    'command:workbench.action.reloadWindow',
    'vscode://x/y',
    'data:text/html,<script>',
    'https://good.example@evil.example/',
    'https://user:word@evil.example/',
    `https://evil.example/${'x'.repeat(3000)}`,
    'https://',
    '/etc/passwd',
    '',
  ])('is none: %j', async (address) => {
    expect(await pressed(address, 'Open')).toMatchObject({ result: { opened: false } });
    expect(fake.opened).toEqual([]);
  });

  it('shows lookalike letters in their encoded form', () => {
    expect(parseWebUrl('https://аpple.com')).toBe('https://xn--pple-43d.com/');
    expect(parseWebUrl('https://example.com/\u202Etxt.exe')).toBe('https://example.com/%E2%80%AEtxt.exe');
  });
});
