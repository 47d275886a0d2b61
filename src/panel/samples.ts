import * as l10n from '@vscode/l10n';
import type { Result } from '../core/result.ts';
import { type JudgeSamples, judgeSamples } from '../report-model/judge-samples.ts';
import { limitName, limitSentence } from './values.ts';

/** Distinct answers that are listed. */
const MAX_KINDS = 8;

/**
 * The answers of a judge that was asked several times: `Asked 3 times: 0.80, 0.60, 0.70.` Null where it was asked once.
 */
export function describeSamples(result: Result): string | null {
  const samples = judgeSamples(result);
  return samples && limitSentence(l10n.t('Asked {0} times: {1}.', samples.times, answersText(samples)));
}

/** `valid 3, invalid 2`; scores in order, labels by frequency, verdicts per statement. */
function answersText({ times, answers }: JudgeSamples): string {
  switch (answers.kind) {
    case 'votes':
      return joinLimited(
        answers.counts.map(([answer, count]) =>
          count === times ? `always ${limitName(answer)}` : `${limitName(answer)} ${count}`,
        ),
      );
    case 'statements': {
      const each = answers.statements.map(({ id, verdicts }) => {
        const texts = verdicts.map((verdict) => String(verdict ?? l10n.t('unclear')));
        return `${limitName(id)} ${countAnswers(texts).join(', ')}`;
      });
      return each.length > MAX_KINDS ? l10n.t('{0}; and more', each.slice(0, MAX_KINDS).join('; ')) : each.join('; ');
    }
    case 'answers': {
      const texts = answers.answers.map(formatAnswer);
      const areScores = answers.answers.every((answer) => typeof answer !== 'string');
      return joinLimited(areScores && new Set(texts).size > 1 ? texts : countAnswers(texts));
    }
  }
}

function formatAnswer(answer: number | string | null): string {
  if (answer === null) return l10n.t('no score');
  return typeof answer === 'number' ? answer.toFixed(2) : limitName(answer);
}

/** The most frequent first. */
function countAnswers(answers: readonly string[]): string[] {
  const counts = [...Map.groupBy(answers, (answer) => answer)].sort(([, a], [, b]) => b.length - a.length);
  const [first] = counts;
  if (first && counts.length === 1) return [`always ${first[0]}`];
  return counts.map(([answer, all]) => `${answer} ${all.length}`);
}

function joinLimited(parts: readonly string[]): string {
  return parts.length > MAX_KINDS ? l10n.t('{0} and more', parts.slice(0, MAX_KINDS).join(', ')) : parts.join(', ');
}
