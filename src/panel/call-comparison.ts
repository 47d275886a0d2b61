import * as l10n from '@vscode/l10n';
import type {
  ArgumentChangeRow,
  ArgumentComparisonRow,
  ComparedCallRow,
  EarlierCallRow,
} from '../protocol/report-values.ts';
import type { ArgumentChange, ArgumentComparison } from '../report-model/transcript/argument-changes.ts';
import type { EarlierCall } from '../report-model/transcript/call-history.ts';
import type { ComparedCall, MissedCall } from '../report-model/transcript/expected-calls.ts';
import { argumentsText } from '../report-model/transcript/turn-texts.ts';
import { MAX_ROWS } from './limits.ts';
import { truncate } from './text/excerpt.ts';
import { limitName } from './values.ts';

/** Limits of changes per call, and of their texts in characters. */
const MAX_CHANGES = 20;
const MAX_VALUE = 200;
/** Equal text that is left before the first difference of long values, in characters. */
const MAX_COMMON = 40;

export function earlierRow({ turn, step, ...comparison }: EarlierCall): EarlierCallRow {
  return { turn, step, ...argumentComparisonRow(comparison) };
}

export function argumentComparisonRow({ changes, equal }: ArgumentComparison): ArgumentComparisonRow {
  return { ...changeRows(changes), equal };
}

export function comparedCallRows(calls: readonly ComparedCall[]): {
  readonly calls: ComparedCallRow[];
  readonly omitted: number;
} {
  const rows = calls.slice(0, MAX_ROWS).map(({ match, name, arguments: args, made, changes, equal }) => ({
    match,
    name: limitName(name),
    arguments: truncate(argumentsText(args), MAX_VALUE),
    turn: made?.turn ?? null,
    ...changeRows(changes),
    equal,
  }));
  return { calls: rows, omitted: calls.length - rows.length };
}

/** As a sentence. */
export function missedCallText({ match, name, turn }: MissedCall): string {
  const tool = limitName(name);
  if (match === 'arguments' && turn !== null) {
    return l10n.t('The expected call of {0} was made with other arguments (turn {1}).', tool, turn + 1);
  }
  return turn === null
    ? l10n.t('The expected call of {0} was not made.', tool)
    : l10n.t('The expected call of {0} was not made (turn {1}).', tool, turn + 1);
}

function changeRows(changes: readonly ArgumentChange[]): { changes: ArgumentChangeRow[]; changesOmitted: number } {
  return {
    changes: changes.slice(0, MAX_CHANGES).map(({ name, before, after }) => {
      const skipped = before === null || after === null ? 0 : commonStart(before, after);
      const cut = (text: string | null): string | null =>
        text === null ? null : `${skipped === 0 ? '' : '…'}${truncate(text.slice(skipped), MAX_VALUE)}`;
      return { name: name === null ? null : limitName(name), before: cut(before), after: cut(after) };
    }),
    changesOmitted: Math.max(0, changes.length - MAX_CHANGES),
  };
}

/** How much to leave out at the start of two texts so that their first difference is near. */
function commonStart(a: string, b: string): number {
  if (Math.max(a.length, b.length) <= MAX_VALUE) return 0;
  let common = 0;
  while (common < a.length && a[common] === b[common]) common += 1;
  return Math.max(0, common - MAX_COMMON);
}
