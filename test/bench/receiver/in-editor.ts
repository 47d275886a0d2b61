/**
 * Measures Watch My Agent as an editor sees it: `npm run bench:receiver -- --editor`. An agent of OpenTelemetry's SDK sends
 * turns one after another to `turnwise lsp`, and each fails.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Diagnostic } from 'vscode-languageserver/node';
import { watchAgent } from '../../../src/protocol/live.ts';
import { resultsChanged, sessions } from '../../../src/protocol/messages.ts';
import { onNotification, sendRequest } from '../../../src/protocol/rpc.ts';
import { Editor } from '../../lsp/editor.ts';
import { OtelAgent } from '../../support/otel-agent.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TURNS = 200;
const BUNDLE = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli.js');

/** @returns milliseconds from the export of each turn to its session's row, and to the problem on its line. */
export async function measureInEditor(): Promise<{ rows: number[]; problems: number[] }> {
  await using folder = await temporaryFolder({ '.git': '' });
  await using editor = new Editor(folder.path, { main: BUNDLE });
  await editor.initialize({ options: { client: 'vscode', livePort: 0 } });
  const { connection } = editor;
  const status = await sendRequest(connection, watchAgent, { project: pathToFileURL(folder.path).href });
  await using agent = new OtelAgent({ endpoint: `http://127.0.0.1:${status.port}` });
  const rows: number[] = [];
  const problems: number[] = [];
  let [shown, start] = [0, 0];
  onNotification(connection, resultsChanged, async () => {
    const { total } = await sendRequest(connection, sessions, { offset: 0, limit: 50 });
    if (total > shown) rows.push(performance.now() - start);
    shown = total;
  });
  for (let turn = 1; turn <= TURNS; turn += 1) {
    agent.turn({ conversation: `conversation-${turn}`, order: `A-${turn}`, fails: true });
    start = performance.now();
    await agent.flush();
    await editor.until(() => filesWithErrors(editor) === turn);
    problems.push(performance.now() - start);
    while (shown < turn) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { rows, problems };
}

function filesWithErrors({ shown }: Editor): number {
  const severe = (all: readonly Diagnostic[]) => all.some(({ severity }) => severity === 1);
  return [...shown.values()].filter(severe).length;
}
