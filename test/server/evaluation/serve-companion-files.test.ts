import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { evaluate, traceFilesFound } from '../../../src/protocol/messages.ts';
import { resultsOutline } from '../../../src/protocol/results-outline.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { ChangingFiles } from '../../unit/server/sync/changing-files.ts';
import { ConnectedEditor } from '../connected-editor.ts';

const [SESSION, CASES] = ['/ws/meeting-rooms.session.json', '/ws/meeting-rooms.evalset.json'];
const uri = (path: string) => `file://${path}`;

it.each([
  ['the folder', [['/ws']]],
  ['the folder, then all that is listed', [['/ws'], [SESSION, CASES]]],
  ['the folder, then what is expected alone', [['/ws'], [CASES]]],
  ['what is expected alone, then all that is listed', [[CASES], [SESSION, CASES]]],
])('expectations of a session are evaluated with it: %s', async (_, runs) => {
  const sample = (path: string) => readFile(path.replace('/ws/', 'samples/'), 'utf8');
  const files = new ChangingFiles({ [SESSION]: await sample(SESSION), [CASES]: await sample(CASES) });
  await using editor = await ConnectedEditor.to({ files, folders: ['/ws'] });
  await editor.connection.sendNotification(traceFilesFound.method, { uris: [SESSION, CASES].map(uri) });
  for (const paths of runs) await sendRequest(editor.connection, evaluate, { uris: paths.map(uri) });
  const { rows, headlines } = await sendRequest(editor.connection, resultsOutline, { offset: 0, limit: 10 });
  expect(rows.map(({ file }) => [file.uri, file.state])).toEqual([[uri(SESSION), 'fresh']]);
  expect(Object.values(headlines).reduce((sum, count) => sum + count, 0)).toBe(rows[0]?.file.sessions);
});
