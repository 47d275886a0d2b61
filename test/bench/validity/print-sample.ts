/**
 * `npm run bench:sample`: prints the findings that are judged by hand, a JSON object per line. Exits with 2 where the
 * labelled data is not there.
 */
import { labelledSets } from './labelled-sets.ts';
import { drawFindings } from './sample.ts';

const sessions = await labelledSets();
if (sessions) {
  for (const { key, finding } of drawFindings(sessions)) {
    const { rule, severity, message, evidence } = finding;
    process.stdout.write(`${JSON.stringify({ key, rule, severity, message, evidence })}\n`);
  }
} else {
  process.stderr.write('The labelled data is not here (../shared/data), so there is nothing to draw from.\n');
  process.exitCode = 2;
}
