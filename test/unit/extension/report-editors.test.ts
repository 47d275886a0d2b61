import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import manifest from '../../../package.json' with { type: 'json' };
import type { FileProblemRow } from '../../../src/protocol/messages.ts';
import type { CancellationToken } from '../../../src/protocol/rpc.ts';
import { fakeServer } from './fake-server.ts';
import { headerOfNothing } from './report-header.ts';
import { type FakePanel, fake, noCopies } from './report-vscode.ts';
import { problemRow, sessionRow, uri } from './rows.ts';

vi.mock('vscode', () => import('./report-vscode.ts'));
const vscode = await import('vscode');
const { REPORT_EDITORS } = await import('../../../src/extension/editor-columns.ts');
const { EvidenceMarker } = await import('../../../src/extension/evidence-marker.ts');
const { ReportEditors } = await import('../../../src/extension/report-editors.ts');
const { ReportPanels } = await import('../../../src/extension/report-panels.ts');

const URI = uri('log.eval');
const key = (id: string, file = URI) => `${file}#${id}`;

type Answers = Parameters<typeof fakeServer>[0];

interface EditorOptions {
  /** The ids of the sessions that have results, the worst first. */
  readonly known?: readonly string[];
  /** Those that an evaluation finds. */
  readonly evaluated?: readonly string[];
  readonly problems?: readonly FileProblemRow[];
  readonly answers?: Answers;
}

/** Editors and panels with a scripted server. */
function editors({ known = [], evaluated = ['worst', 'other'], problems = [], answers = {} }: EditorOptions = {}) {
  const results = { ids: known };
  const evaluations: { readonly params: unknown; readonly token: CancellationToken | undefined }[] = [];
  const changes = new vscode.EventEmitter<ReadonlySet<string> | undefined>();
  const { server, requests } = fakeServer({
    'turnwise/sessions': () => {
      const rows = results.ids.map((id) => sessionRow(id, { key: key(id) }));
      return { total: rows.length, rows, problems };
    },
    'turnwise/report': (params) => {
      const { session } = z.parse(z.object({ session: z.string() }), params);
      return { header: session === key('gone') ? null : { ...headerOfNothing(session), revision: 7 } };
    },
    ...answers,
    'turnwise/evaluate': (params, token) => {
      evaluations.push({ params, token });
      results.ids = evaluated;
      return answers['turnwise/evaluate']?.(params) ?? { complete: true, sessions: evaluated.length, problems };
    },
  });
  const extensionUri = vscode.Uri.parse('file:///extension');
  const reports = new ReportPanels({
    extensionUri,
    log: vscode.window.createOutputChannel('t', { log: true }),
    server,
    evaluation: { run: async () => ({ complete: true, sessions: 1, problems: [] }), stop: () => {} },
    stateRestore: { hasStoredResults: false },
    follow: { expect: () => {}, show: async () => {} },
    evidence: new EvidenceMarker(noCopies),
  });
  const provider = new ReportEditors({ extensionUri, server, reports, model: { onDidChange: changes.event } });
  return { reports, requests, evaluations, results, changes, open: (file = URI) => open(provider, file) };
}

/** Opens a file in the second column, as VS Code does. */
function open(provider: InstanceType<typeof ReportEditors>, file: string): FakePanel | undefined {
  const panel = vscode.window.createWebviewPanel('turnwise.evalReport', 'log.eval', vscode.ViewColumn.Two);
  provider.resolveCustomEditor(provider.openCustomDocument(vscode.Uri.parse(file)), panel);
  return fake.panels.at(-1);
}

const showsReport = (panel: FakePanel | undefined, session = key('worst')) =>
  vi.waitFor(() => expect(panel?.webview.html).toContain(`data-session="${session}"`));
const says = (panel: FakePanel | undefined, sentence: string) =>
  vi.waitFor(() => expect(panel?.webview.html).toContain(`<p role="status">${sentence}</p>`));
const eventsOf = (panel: FakePanel | undefined) =>
  panel?.posted.filter((item) => typeof item === 'object' && item !== null && 'event' in item);

beforeEach(() => fake.reset());

describe('a report as a custom editor', () => {
  it('is registered for the editors of the manifest', () => {
    editors();
    expect(fake.editors).toEqual(REPORT_EDITORS);
    expect(manifest.contributes.customEditors.map(({ viewType }) => viewType)).toEqual(REPORT_EDITORS);
  });

  it('shows the worst session of a file that was evaluated', async () => {
    const { open, requests } = editors({ known: ['worst', 'other'] });
    const panel = open();
    await showsReport(panel);
    expect(requests).toEqual(['turnwise/sessions']);
    expect(panel?.title).toBe('log.eval');
  });

  it('evaluates another file with the rules only', async () => {
    const { open, evaluations } = editors();
    const panel = open();
    await says(panel, 'Reading log.eval…');
    await showsReport(panel);
    expect(evaluations.map(({ params }) => params)).toEqual([{ uris: [URI], rulesOnly: true }]);
  });

  it('says why a file cannot be read, and shows its report once it has results', async () => {
    const problems = [problemRow('log.eval', 'The directory of this <ZIP> archive is damaged.')];
    const { open, results, changes } = editors({ evaluated: [], problems });
    const panel = open();
    await says(panel, 'log.eval: The directory of this &lt;ZIP> archive is damaged.');
    expect(panel?.webview.options).toMatchObject({ enableScripts: false });
    changes.fire(undefined);
    await new Promise(setImmediate);
    expect(panel?.webview.html).toContain('damaged');
    results.ids = ['worst'];
    changes.fire(new Set([URI]));
    await showsReport(panel);
  });

  it('says that a file has no session, is not on disk, or that the server failed', async () => {
    await says(editors({ evaluated: [] }).open(), 'log.eval contains no session.');
    const elsewhere = editors();
    await says(elsewhere.open('git:/t/log.eval'), 'log.eval is not on disk (git:). Save a copy to evaluate it.');
    expect(elsewhere.requests).toEqual([]);
    const answers: Answers = {
      'turnwise/sessions': () => {
        throw new Error('The server stopped.');
      },
    };
    await says(editors({ answers }).open(), 'The server stopped.');
  });

  it('stops the evaluation when it is closed, and shows nothing then', async () => {
    const gate = Promise.withResolvers<unknown>();
    const { open, evaluations } = editors({ answers: { 'turnwise/evaluate': () => gate.promise } });
    const panel = open();
    await vi.waitFor(() => expect(evaluations).toHaveLength(1));
    panel?.dispose();
    expect(evaluations[0]?.token?.isCancellationRequested).toBe(true);
    gate.resolve({ complete: false, sessions: 0, problems: [] });
    await new Promise(setImmediate);
    expect(panel?.webview.html).toContain('Reading log.eval…');
  });

  it('shows other sessions of its file, and those of other files have the panel', async () => {
    const { open, reports } = editors({ known: ['worst'] });
    const panel = open();
    await showsReport(panel);
    reports.open({ key: key('other') }, 3);
    expect(fake.panels).toHaveLength(1);
    expect(panel?.revealed).toEqual([[2, true]]);
    reports.open({ key: key('one', uri('a.json')) }, null);
    expect(fake.panels).toHaveLength(2);
    panel?.dispose();
    // The editor is opened after the panel, and is still the one for its file.
    const again = open();
    await showsReport(again);
    reports.open({ key: key('other') }, null);
    expect(again?.revealed).toEqual([[2, true]]);
  });

  it('leaves the panel that is restored alone', async () => {
    const { open, reports } = editors({ known: ['worst'] });
    await showsReport(open());
    const restored = vscode.window.createWebviewPanel('turnwise.report', 'Old', vscode.ViewColumn.Two);
    await reports.deserializeWebviewPanel(restored, { session: key('worst'), turn: 4 });
    expect(fake.panels.map(({ isDisposed }) => isDisposed)).toEqual([false, false]);
  });

  it('follows the page that was restored with another session of the file, and leads back one that has none', async () => {
    const { open, reports } = editors({ known: ['worst'] });
    const panel = open();
    await showsReport(panel);
    const shows = (session: string) => panel?.messages.fire({ id: 1, method: 'turnwise/report', params: { session } });
    if (panel) panel.active = true;
    shows(key('other'));
    await vi.waitFor(() => expect(reports.active).toEqual({ session: key('other'), turn: null }));
    shows(key('gone'));
    await vi.waitFor(() => expect(eventsOf(panel)).toEqual([{ event: 'select', session: key('other'), turn: null }]));
  });

  it('says that an archive has no lines instead of opening it as text', async () => {
    const { open, requests } = editors({ known: ['worst'] });
    const panel = open();
    await showsReport(panel);
    const params = { target: { uri: URI, pointer: '/samples/0' }, focus: true };
    panel?.messages.fire({ id: 1, method: 'turnwise/panel/reveal', params });
    await vi.waitFor(() => expect(fake.shown[0]?.[0]).toMatch(/^log\.eval is an archive and has no lines\. To see/));
    expect(fake.executed).toEqual([]);
    expect(requests).not.toContain('turnwise/locate');
  });
});
