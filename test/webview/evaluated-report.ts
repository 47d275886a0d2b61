import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { evaluate, sessions } from '../../src/protocol/messages.ts';
import { prompt } from '../../src/protocol/panel.ts';
import {
  explanations,
  problemGroups,
  sessionCalls,
  sessionFeedback,
  sessionReport,
  sessionRun,
  signals,
} from '../../src/protocol/report.ts';
import { sendRequest } from '../../src/protocol/rpc.ts';
import { MAX_TIMELINE_ROWS, type TimelineEntry, timelineRows, timelineSummary } from '../../src/protocol/timeline.ts';
import { MAX_TURNS, type TurnRow, turns } from '../../src/protocol/turn-rows.ts';
import type { EvaluateFiles } from '../../src/server/evaluation/evaluator.ts';
import { ConnectedEditor } from '../server/connected-editor.ts';
import { type Parts, session } from './recording.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The server's prompt preview of a metric, for the first turn of the first session of a file. */
export async function promptFor(file: string, metric: string) {
  await using server = await ConnectedEditor.to({ files: nodeFileSystem, folders: [dirname(file)] });
  const { connection } = server;
  const uri = pathToFileURL(file).href;
  await sendRequest(connection, evaluate, { uris: [uri] });
  const { rows } = await sendRequest(connection, sessions, { uri, offset: 0, limit: 1 });
  return await sendRequest(connection, prompt, { session: rows[0]?.key ?? '', turn: 0, metric });
}

/** The server's responses for the riskiest session of a file in this repository. */
export async function evaluateReport(path: string): Promise<Parts> {
  return recordReport(join(ROOT, path));
}

/** As `evaluatedReport`, for any file. @param evaluateFiles by default the library's, without models. */
export async function recordReport(file: string, evaluateFiles?: EvaluateFiles): Promise<Parts> {
  const input = evaluateFiles ? { evaluateFiles } : {};
  await using server = await ConnectedEditor.to({ files: nodeFileSystem, folders: [dirname(file)], ...input });
  const { connection } = server;
  const uri = pathToFileURL(file).href;
  await sendRequest(connection, evaluate, { uris: [uri] });
  const { rows: held } = await sendRequest(connection, sessions, { uri, offset: 0, limit: 1 });
  const key = held[0]?.key;
  if (key === undefined) throw new Error(`There is no session in ${file}.`);
  const of = { session: key };
  const { header } = await sendRequest(connection, sessionReport, of);
  if (!header) throw new Error(`There is no report of ${file}.`);
  const rows: TurnRow[] = [];
  for (let from = 0; from < header.strip.turns; from += MAX_TURNS) {
    rows.push(...(await sendRequest(connection, turns, { ...of, from, count: MAX_TURNS })).rows);
  }
  const timeline = await sendRequest(connection, timelineSummary, of);
  const spans: TimelineEntry[] = [];
  for (let from = 0; from < (timeline.summary?.rows ?? 0); from += MAX_TIMELINE_ROWS) {
    spans.push(...(await sendRequest(connection, timelineRows, { ...of, from, count: MAX_TIMELINE_ROWS })).rows);
  }
  return {
    header: { ...header, key: session },
    rows,
    more: [
      { method: timelineSummary.method, params: { session }, result: timeline },
      { method: timelineRows.method, params: { session }, rows: spans },
      { method: signals.method, params: { session }, result: await sendRequest(connection, signals, of) },
      { method: explanations.method, params: { session }, result: await sendRequest(connection, explanations, of) },
      {
        method: sessionFeedback.method,
        params: { session },
        result: await sendRequest(connection, sessionFeedback, of),
      },
      { method: sessionRun.method, params: { session }, result: await sendRequest(connection, sessionRun, of) },
      { method: sessionCalls.method, params: { session }, result: await sendRequest(connection, sessionCalls, of) },
      { method: problemGroups.method, params: { session }, result: await sendRequest(connection, problemGroups, of) },
    ],
  };
}
