/**
 * `npm run bench:validity`: measures the rules and the scores against the labelled public data beside the repository and
 * writes `docs/validity.md`. Exits with 2 where the data is not there.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderDocument } from './document.ts';
import { compareWithJudged } from './judged.ts';
import { labelledSets } from './labelled-sets.ts';
import { riskSamples } from './risk-samples.ts';
import { otherScores } from './scores.ts';
import { agentRxRuns, whoAndWhenRuns } from './step-labels.ts';
import { toolBenchTrees } from './tool-codes.ts';

const start = performance.now();
const samples = await riskSamples();
const sets = await labelledSets();
if (samples && sets) {
  const document = renderDocument({
    samples,
    sets,
    others: await otherScores(samples),
    retail: await agentRxRuns('agentrx-tau-retail'),
    magentic: await agentRxRuns('agentrx-magentic-one'),
    whoAndWhen: await whoAndWhenRuns(),
    trees: await toolBenchTrees(),
  });
  const path = join(import.meta.dirname, '../../../docs/validity.md');
  await writeFile(path, document);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`Measured on ${samples.length} sessions with an outcome in ${seconds} s; written to ${path}.`);
  const { gone, unjudged } = compareWithJudged(sets);
  console.log(`${gone.length} judged findings are no longer made; ${unjudged.length} of the draw are not judged.`);
  for (const { key, severity } of unjudged) console.log(`not judged: ${severity} ${key}`);
} else {
  console.log('The labelled data is not here (../shared/data), so nothing was measured and the page is as it was.');
  process.exitCode = 2;
}
