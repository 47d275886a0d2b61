import type { BaselineGate, BaselineResult } from '../../core/baseline.ts';
import type { Report } from '../../core/report.ts';
import { listSome } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { markedLines, quietLines } from './layout.ts';
import type { TableStyle, TextTone } from './style.ts';

const MARKS: Readonly<Record<BaselineGate['answer'], readonly [mark: string, tone: TextTone]>> = {
  worse: ['✗', 'bad'],
  undecided: ['?', 'doubtful'],
  'not worse': ['✓', 'good'],
};

/** Limits of the tasks that are listed. */
const TASKS = 10;
const FLAKY = 3;

/** What the run answers to its baseline: gates that are worse or open, the tasks that fell, flaky tasks and quarantines. */
export function* baselineLines({ baseline }: Pick<Report, 'baseline'>, style: TableStyle): Generator<string> {
  if (!baseline) return;
  const { answer, gates, file, accepted, undecided, notes } = baseline;
  const of = accepted === null ? '' : `, accepted ${accepted}`;
  yield '';
  yield `${style.paint('Baseline', 'strong')} ${sanitizeLine(file)}${of}: ${style.paint(answer, MARKS[answer][1])}`;
  const shown = gates.filter((gate) => style.verbose || gate.answer !== 'not worse' || gate.finding !== null);
  for (const sentence of undecided) yield* markedLines('  ', '?', 'doubtful', sanitizeLine(sentence), style);
  for (const { name, answer: own, reason } of shown) {
    const [mark, tone] = MARKS[own];
    yield* markedLines('  ', mark, tone, sanitizeLine(`${name}: ${reason}`), style);
  }
  const met = gates.filter((gate) => gate.answer === 'not worse').length;
  if (gates.length > 0) yield* quietLines('  ', `${met} of ${pluralize(gates.length, 'gate')} not worse`, style);
  yield* taskLines(baseline, style);
  yield* restLines(baseline, style);
  for (const note of notes) yield* quietLines('  ', sanitizeLine(note), style);
}

function* taskLines({ tasks }: BaselineResult, style: TableStyle): Generator<string> {
  const shown = style.verbose ? tasks : tasks.slice(0, TASKS);
  for (const { task, gate, finding, flaky, before, after } of shown) {
    const counts = `${before[0]} of ${before[1]} before, ${after[0]} of ${after[1]} now`;
    const text = `${finding}: ${task}: ${gate} ${counts}${flaky ? ' (flaky before)' : ''}`;
    const [mark, tone] = finding === 'regression' ? MARKS.worse : finding === 'likely' ? MARKS.undecided : WATCHED;
    yield* markedLines('    ', mark, tone, sanitizeLine(text), style);
  }
  const left = tasks.length - shown.length;
  if (left > 0) yield* quietLines('    ', `and ${left} more; --verbose lists them`, style);
}

const WATCHED: readonly [string, TextTone] = ['·', 'quiet'];

function* restLines({ flaky, quarantined, added }: BaselineResult, style: TableStyle): Generator<string> {
  if (flaky.length > 0) {
    const names = flaky.map(({ task, before }) => `${task} (${before[0]} of ${before[1]})`);
    yield* quietLines(
      '  ',
      sanitizeLine(`Flaky in the baseline, so they count less: ${listSome(names, FLAKY)}`),
      style,
    );
  }
  for (const { task, until, reason } of quarantined)
    yield* quietLines('  ', sanitizeLine(`In quarantine until ${until}: ${task} (${reason})`), style);
  if (added.length > 0)
    yield* quietLines('  ', `${pluralize(added.length, 'new task')} not in the baseline, gated alone`, style);
}
