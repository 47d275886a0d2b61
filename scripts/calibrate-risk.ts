/**
 * `npm run calibrate:risk`: fits the weights of `session_risk` to the labelled public data beside the repository and
 * writes them to a file. The same data and rules give the same file. Exits with 2 if the data is missing.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coefficientsFile, shippedCoefficients } from '../test/bench/validity/coefficients-file.ts';
import { riskSamples } from '../test/bench/validity/risk-samples.ts';

const samples = await riskSamples();
if (samples) {
  const path = join(import.meta.dirname, '..', 'src/metrics/shared/risk-coefficients.ts');
  await writeFile(path, coefficientsFile(shippedCoefficients(samples)));
  console.log(`Fitted on ${samples.length} sessions; written to ${path}.`);
} else {
  console.log('The labelled data is not here (../shared/data), so nothing was fitted and the file is as it was.');
  process.exitCode = 2;
}
