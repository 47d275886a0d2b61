import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fake } from './report-vscode.ts';

vi.mock('vscode', () => import('./report-vscode.ts'));
const vscode = await import('vscode');
const { columnForFile, columnForReport } = await import('../../../src/extension/editor-columns.ts');
const { openFile } = await import('../../../src/extension/open-file.ts');

const [A, B, C] = ['file:///t/a.json', 'file:///t/b.json', 'file:///t/c.json'];
const [REPORT, OTHER] = ['Report: a', 'Report: b'];
const { Active, Beside } = vscode.ViewColumn;
const a = vscode.Uri.parse(A);

type Columns = readonly (readonly string[])[];

beforeEach(() => fake.reset());

describe('opening a file', () => {
  it.each<[string, number | undefined, Columns]>([
    ['beside the report that has the focus', 1, [[B], [REPORT]]],
    ['beside a report that is to the left', 2, [[REPORT], [B]]],
    ['where it is open already', 2, [[B], [A, C], [REPORT]]],
    ['rather where it is in front', 3, [[B], [A, C], [A], [REPORT]]],
    ['not over a report that covers it', 1, [[B], [A, REPORT]]],
    ['over a report that is covered already', 2, [[REPORT], [OTHER, B]]],
    ['in a column that is empty', 1, [[], [REPORT]]],
    ['over a page of something else', 2, [[REPORT], ['Preview']]],
    ['in the first column where all show reports', 1, [[REPORT], [OTHER]]],
    ['not over its report in a custom editor', 2, [[`editor:${A}`], [B]]],
    ['in a column of its own where its report in a custom editor is alone', undefined, [[`editor:${A}`]]],
    ['in a column of its own where a report is alone', undefined, [[REPORT]]],
    ['where the user works where no report is open', Active, [[B], [C]]],
  ])('%s', (_, column, columns) => {
    fake.arrange(...columns);
    expect(columnForFile(a)).toBe(column);
  });

  it('uses the column of a custom editor that shows the file', () => {
    fake.arrange([B], [A], [REPORT]);
    for (const tab of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)) {
      if (tab.input instanceof vscode.TabInputText)
        Object.assign(tab, { input: new vscode.TabInputCustom(tab.input.uri, 'x') });
    }
    expect(columnForFile(a)).toBe(2);
  });

  it('uses the first column by position, not by creation', () => {
    fake.arrange([B], [C], [REPORT]);
    vscode.window.tabGroups.all.toReversed().forEach((group, index) => {
      Object.assign(vscode.window.tabGroups.all, { [index]: group });
    });
    expect(columnForFile(a)).toBe(1);
  });

  it('opens to the left of a report that is alone, and leaves the focus there on request', async () => {
    fake.arrange([REPORT]);
    await openFile(a);
    const opened = [['workbench.action.newGroupLeft'], ['vscode.open', a, { viewColumn: 1, override: false }]];
    expect(fake.executed).toEqual(opened);
    await openFile(a, { preserveFocus: true });
    expect(fake.executed.slice(opened.length)).toEqual([
      ['vscode.open', a, { preserveFocus: true, viewColumn: 2, override: false }],
      ['workbench.action.moveActiveEditorGroupLeft'],
    ]);
  });

  it('opens in an existing column without moving columns', async () => {
    fake.arrange([B], [REPORT]);
    await openFile(a, { preview: true });
    expect(fake.executed).toEqual([['vscode.open', a, { preview: true, viewColumn: 1, override: false }]]);
  });
});

const WITH_REPORTS: readonly [string, number, Columns][] = [
  ['where another report is', 2, [[A], [OTHER]]],
  ['where another report is, though its file is elsewhere', 2, [[B], [OTHER], [A]]],
  ['where it is in front itself', 1, [[REPORT], [OTHER]]],
  ['where a custom editor shows a report', 2, [[A], [`editor:${B}`]]],
  ['where reports are behind something else', 2, [[A], [OTHER, B]]],
  ['rather where a report is in front', 2, [[A], [OTHER], [OTHER, B]]],
];

describe('opening an archive', () => {
  it('leaves the columns to VS Code, which shows it as its report', async () => {
    fake.arrange([REPORT]);
    const archive = vscode.Uri.parse('file:///t/log.eval');
    await openFile(archive);
    expect(fake.executed).toEqual([['vscode.open', archive, { viewColumn: Active }]]);
  });
});

describe('showing a report', () => {
  it.each<[string, number, Columns]>([
    ...WITH_REPORTS,
    ['beside its file, whatever is active', 2, [[A], [B]]],
    ['before its file where that is to the right', 1, [[B], [A]]],
    ['over its file where that is everywhere', Active, [[A], [A]]],
    ['over the only file', Active, [[OTHER, B]]],
    ['over its file that is alone', Active, [[REPORT, A]]],
    ['in the active column where its file is not seen', Active, [[A, B]]],
    ['in the active column where nothing is open', Active, [[]]],
  ])('%s', (_, column, columns) => {
    fake.arrange(...columns);
    expect(columnForReport(a, { toSide: false, title: REPORT })).toBe(column);
  });
});

describe('showing a report to the side', () => {
  it.each<[string, number, Columns]>([
    ...WITH_REPORTS,
    ['beside its file, whatever is active', 2, [[A], [B]]],
    ['beside its file where that is to the right', 3, [[B], [A]]],
    ['not over its file, where that is in two columns', 3, [[A], [A]]],
    ['not over its own file', 3, [[B], [OTHER, A]]],
    ['not over the only file', Beside, [[OTHER, B]]],
    ['not over its file that is alone', 2, [[REPORT, A]]],
    ['beside what is active where nothing is open', Beside, [[]]],
  ])('%s', (_, column, columns) => {
    fake.arrange(...columns);
    expect(columnForReport(a, { toSide: true, title: REPORT })).toBe(column);
  });
});
