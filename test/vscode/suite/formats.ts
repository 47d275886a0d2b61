import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { get, getArray, getNumber, getString } from '../../../src/core/json.ts';
import { resolvePointers } from '../../../src/core/pointer-ranges.ts';
import { FORMAT_LOCATIONS } from '../../support/format-locations.ts';
import { suite } from '../../support/vscode/suite.ts';
import { boundCommand, codeOf, evaluate, formatRange, lenses } from '../editor-features.ts';
import { file, rows } from '../extension.ts';

const REPOSITORY = process.env.TURNWISE_TEST_REPOSITORY ?? '';

/** It is compared with what others did: beside the others of the table it would only be what they are compared with. */
const ALONE = 'conv.evalset.json';

const CONFIGURATION = JSON.stringify({ rules: { 'state-change': 'low', 'amount-stated': 'low' } });

/** A file of every format that is read, evaluated in the editor and by the command line. */
export const run = suite({
  async 'evaluates a file of every format without an error'() {
    for (const [name] of FORMAT_LOCATIONS) await copied(name);
    // Observations are in no list of the editor: as problems, they show where they are found.
    for (const name of ['a.json', ALONE])
      await writeFile(join(folderOf(name).fsPath, 'turnwise.config.json'), CONFIGURATION);
    await vscode.commands.executeCommand('turnwise.evaluate', folderOf('a.json'), [folderOf('a.json')]);
    await evaluate(placed(ALONE));
    const shownRows = await rows();
    const problems = shownRows.filter(({ node }) => node.type === 'problem').map(({ item }) => item.label);
    assert.deepEqual(problems, []);
    const all = new Set(shownRows.map(({ node }) => node.type));
    assert.ok(
      [...all].every((type) => type === 'file' || type === 'session'),
      [...all].join(),
    );
  },

  async 'shows lenses at the lines of sessions and turns that the command line reports'() {
    const messages = new Map([
      ...(await reportedSessions(folderOf('a.json'))),
      ...(await reportedSessions(placed(ALONE))),
    ]);
    for (const [name, format] of FORMAT_LOCATIONS) {
      const sessions = messages.get(name) ?? assert.fail(`The command line tells nothing of ${name} (${format}).`);
      assert.deepEqual(
        lensLocations(await lenses(placed(name))),
        expectedOf(sessions, await beginnings(name, sessions), await isOneLine(name)),
        `${name} (${format})`,
      );
    }
  },

  async 'places findings at manually verified locations'() {
    for (const [name, format, , places] of FORMAT_LOCATIONS) {
      const uri = placed(name);
      const diagnostics = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Turnwise');
      const stand = diagnostics.map((diagnostic) => `${codeOf(diagnostic)} ${formatRange(diagnostic.range)}`);
      for (const [rule, place] of Object.entries(places)) {
        assert.ok(
          stand.includes(`${rule} ${place}`),
          `${rule} at ${place} of ${name} (${format}): ${stand.join(', ')}`,
        );
      }
    }
  },
});

function folderOf(name: string): vscode.Uri {
  return file(name === ALONE ? 'alone' : 'formats');
}

function placed(name: string): vscode.Uri {
  return vscode.Uri.joinPath(folderOf(name), name);
}

async function copied(name: string): Promise<void> {
  await cp(join(REPOSITORY, 'test', 'fixtures', 'formats', name), placed(name).fsPath);
}

/** A session: where it is in its file, and the lines of its turns. */
interface ReportedSession {
  readonly pointer: string;
  readonly turns: readonly number[];
}

/** What `turnwise eval --format json` says of each file: its sessions, and their turns with a problem. */
async function reportedSessions(of: vscode.Uri): Promise<Map<string, ReportedSession[]>> {
  const program = join(REPOSITORY, 'dist', 'cli.js');
  const { promise: output, resolve } = Promise.withResolvers<string>();
  // Where nothing could be decided, the exit code says so; what it tells is whole.
  const options = { cwd: folderOf(basename(of.path)).fsPath, maxBuffer: 1 << 28 };
  execFile(process.execPath, [program, 'eval', of.fsPath, '--format', 'json'], options, (_, stdout) => resolve(stdout));
  const report: unknown = JSON.parse(await output);
  const withProblems = new Set(
    (getArray(report, 'failures') ?? [])
      .flatMap((group) => getArray(group, 'occurrences') ?? [])
      .map((occurrence) => `${getString(occurrence, 'session')} ${getNumber(occurrence, 'turn')}`),
  );
  const messages = new Map<string, ReportedSession[]>();
  for (const session of getArray(report, 'sessions') ?? []) {
    const source = get(session, 'source');
    const name = basename(getString(source, 'file') ?? '');
    const turns = (getArray(session, 'turns') ?? [])
      .filter((turn) => withProblems.has(`${getString(session, 'id')} ${getNumber(turn, 'index')}`))
      .map((turn) => getNumber(turn, 'line') ?? assert.fail(name));
    messages.set(name, [...(messages.get(name) ?? []), { pointer: getString(source, 'pointer') ?? '', turns }]);
  }
  return messages;
}

async function isOneLine(name: string): Promise<boolean> {
  return !(await readFile(placed(name).fsPath, 'utf8')).trimEnd().includes('\n');
}

/** The lines on which sessions begin. */
async function beginnings(name: string, sessions: readonly ReportedSession[]): Promise<number[]> {
  const text = await readFile(placed(name).fsPath, 'utf8');
  const pointers = sessions.map(({ pointer }) => pointer);
  const result = resolvePointers(text, pointers, { lines: name.endsWith('.jsonl') });
  return pointers.map((pointer) => result.get(pointer)?.line ?? assert.fail(`${pointer} of ${name}`));
}

/** One of each kind on a line; turns of which there are several on a line give way to the session that begins there. */
function expectedOf(sessions: readonly ReportedSession[], beginning: readonly number[], oneLine: boolean): string[] {
  const turns = sessions.flatMap((session) => session.turns);
  const standing = turns.filter((line) => {
    return !beginning.includes(line) || (!oneLine && turns.filter((other) => other === line).length === 1);
  });
  return sorted([...beginning.map((line) => `${line} session`), ...standing.map((line) => `${line} turn`)]);
}

const OTHER_LENSES = [
  'turnwise.openFormattedCopy',
  'turnwise.runScenario',
  'turnwise.openScenarioReport',
  'turnwise.compareScenario',
  'turnwise.openUserPrompt',
];

/** Each: the line, and what the lens is about. */
function lensLocations(found: Awaited<ReturnType<typeof lenses>>): string[] {
  return sorted(
    found.flatMap((lens) => {
      const { command, arguments: [args] = [] } = boundCommand(lens.command);
      // A file of one line has another one, which formats it; an evaluation set has those that run its cases.
      if (OTHER_LENSES.includes(String(command))) return [];
      assert.equal(command, 'turnwise.openReport');
      return [`${lens.line} ${get(args, 'turn') === null ? 'session' : 'turn'}`];
    }),
  );
}

/** Each once. */
function sorted(places: readonly string[]): string[] {
  return [...new Set(places)].sort();
}
