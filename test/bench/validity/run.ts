/**
 * `npm run bench:validity`: measures the rules and the scores against the labelled public data beside the repository and
 * writes `docs/validity.md`. Exits with 2 where the data is not there.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderDocument } from './document.ts';
import { labelledSessions } from './labelled-sessions.ts';
import { otherScores } from './scores.ts';
import { agentRxRuns, codingRuns, whoAndWhenRuns } from './step-labels.ts';
import { toolBenchTrees } from './tool-codes.ts';

const sessions = await labelledSessions();
if (sessions) {
  const document = renderDocument({
    sessions,
    others: await otherScores(sessions.map(({ session }) => session)),
    retail: await agentRxRuns('agentrx-tau-retail'),
    magentic: await agentRxRuns('agentrx-magentic-one'),
    whoAndWhen: await whoAndWhenRuns(),
    trees: await toolBenchTrees(),
    coding: await codingRuns(),
  });
  const path = join(import.meta.dirname, '../../../docs/validity.md');
  await writeFile(path, document);
  console.log(`Measured on ${sessions.length} sessions with an outcome; written to ${path}.`);
} else {
  console.log('The labelled data is not here (../shared/data), so nothing was measured and the page is as it was.');
  process.exitCode = 2;
}
