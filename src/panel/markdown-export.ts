import * as l10n from '@vscode/l10n';
import { redactSecrets } from '../core/secrets.ts';
import type { Session, Step, Turn } from '../core/session.ts';
import { baseName } from '../input/paths.ts';
import type { MarkdownParams } from '../protocol/panel.ts';
import { ownResults, SESSION_RISK, TURN_RISK } from '../report-model/metric-results.ts';
import { contradictingOutcome } from '../report-model/session-headline.ts';
import type { SessionModel } from '../report-model/session-model.ts';
import { missedCalls } from '../report-model/transcript/expected-calls.ts';
import { answerStepIndex, stepText } from '../report-model/transcript/turn-texts.ts';
import { verdictReasons } from '../report-model/verdict-causes.ts';
import { missedCallText } from './call-comparison.ts';
import type { PanelSession } from './panel-session.ts';
import { escapeMarkdown } from './text/markdown.ts';

/** Limits in characters: of one text, and of all together. */
const MAX_TEXT = 20_000;
const MAX_TOTAL = 2_000_000;
/** Expected calls that an issue names. */
const MAX_MISSED = 20;
/** Read beyond the limit, so that a secret is recognized that would be copied in part. */
const SECRET_MARGIN = 8192;

/**
 * A turn, a session or an issue about it as Markdown. Text of the trace stands in code fences, so it has no
 * effect.
 */
export function exportMarkdown(
  view: PanelSession,
  model: SessionModel,
  session: Session,
  { turn, as }: Pick<MarkdownParams, 'turn' | 'as'>,
): string | null {
  if (as === 'issue') return `${issueMarkdown(view, model, session).join('\n\n')}\n`;
  if (turn !== null) {
    const selected = session.turns[turn];
    return selected ? `${turnMarkdown(model, selected, turn).join('\n\n')}\n` : null;
  }
  const parts = [...sessionHead(view)];
  let room = MAX_TOTAL;
  for (const [index, item] of session.turns.entries()) {
    const text = turnMarkdown(model, item, index).join('\n\n');
    room -= text.length;
    if (room < 0) {
      parts.push(`*${l10n.t('{0} more turns are in the file.', session.turns.length - index)}*`);
      break;
    }
    parts.push(text);
  }
  return `${parts.join('\n\n')}\n`;
}

/** The headline, all problems, expected calls that were not made, and the messages of the turn of the headline. */
function issueMarkdown({ row, file, detail }: PanelSession, model: SessionModel, session: Session): string[] {
  const { headline } = row;
  const { problems } = verdictReasons(detail, detail.found);
  const contradiction = contradictingOutcome({ headline, outcome: detail.report.outcome });
  const turn = headline.turn ?? problems[0]?.turn ?? null;
  const spoken = turn === null ? undefined : session.turns[turn];
  const lines = problems.map((problem) => {
    const { severity, reason, label } = problem;
    return `- Turn ${problem.turn + 1}, ${severity}: ${escapeMarkdown(reason)} (${escapeMarkdown(label, 200)})`;
  });
  const missed = missedCalls(session)
    .slice(0, MAX_MISSED)
    .map((call) => `- ${escapeMarkdown(missedCallText(call))}`);
  return [
    `# ${escapeMarkdown(headline.text)}`,
    `Session ${escapeMarkdown(row.id, 200)} in ${escapeMarkdown(baseName(file), 200)}`,
    ...(contradiction === null ? [] : [escapeMarkdown(contradiction)]),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    ...(missed.length === 0 ? [] : [missed.join('\n')]),
    ...(spoken && turn !== null ? turnMarkdown(model, spoken, turn) : []),
  ];
}

function* sessionHead({ row, detail: { report } }: PanelSession): Generator<string> {
  yield `# Session ${escapeMarkdown(row.id, 200)}`;
  yield `**${escapeMarkdown(row.headline.text)}**`;
  if (row.riskLevel !== null) yield l10n.t('Risk: {0}', RISK_TEXT[row.riskLevel]());
  const scores = scoreLines(report.metrics, SESSION_RISK);
  if (scores !== '') yield scores;
}

function turnMarkdown(model: SessionModel, turn: Turn, index: number): string[] {
  const report = model.turn(index);
  const answer = answerStepIndex(turn);
  return [
    `## Turn ${index + 1}`,
    ...failureLines(model, index),
    ...(turn.input === null ? [] : [`**User**`, codeFence(turn.input)]),
    ...turn.steps.flatMap((step, at) => (at === answer ? [] : stepMarkdown(step))),
    ...(turn.output === null ? [] : [`**Agent**`, codeFence(turn.output)]),
    ...(report ? [scoreLines(report.metrics, TURN_RISK)].filter((lines) => lines !== '') : []),
  ];
}

function stepMarkdown(step: Step): string[] {
  switch (step.type) {
    case 'model':
      return [
        ...(step.reasoning ? ['*Reasoning*', codeFence(step.reasoning)] : []),
        ...(step.text ? ['*Agent*', codeFence(step.text)] : []),
        ...(step.error ? [`*${l10n.t('Model error')}*`, codeFence(step.error)] : []),
      ];
    case 'tool': {
      const result = stepText(step, 'result');
      return [
        `**Tool** ${escapeMarkdown(step.name, 200)}${OUTCOME_TEXT[step.outcome]}`,
        codeFence(stepText(step, 'arguments') ?? ''),
        ...(result === null ? [] : ['*Result*', codeFence(result)]),
        ...(step.error === undefined ? [] : ['*Error*', codeFence(step.error)]),
      ];
    }
    case 'retrieval':
      return [
        '**Retrieval**',
        ...(step.query === undefined ? [] : [codeFence(step.query)]),
        ...step.documents.map(({ text }) => codeFence(text)),
      ];
    case 'agent':
      return [`**Sub-agent** ${escapeMarkdown(step.name, 200)}: ${step.turns.length} turns`];
  }
}

const OUTCOME_TEXT = { ok: '', error: ': failed', rejected: ': refused by the user', missing: ': no result' } as const;

function failureLines({ findingsByTurn }: SessionModel, index: number): string[] {
  const failures = findingsByTurn().failures.get(index) ?? [];
  if (failures.length === 0) return [];
  const lines = failures.map(
    ({ label, severity, reason }) => `- ✗ ${escapeMarkdown(label, 200)} (${severity}): ${escapeMarkdown(reason)}`,
  );
  return [lines.join('\n')];
}

/** A list, since names in a table would need escaping of their own. */
function scoreLines(metrics: Parameters<typeof ownResults>[0], risk: string): string {
  const lines = ownResults(metrics).flatMap(([metric, { status, score, label, threshold, passed, reason }]) => {
    const value = score ?? label;
    if (metric === risk || status !== 'scored' || value === null) return [];
    const figure = typeof value === 'number' ? String(Number(value.toFixed(2))) : value;
    const limit = threshold === null ? '' : ` (threshold ${threshold})`;
    const why = reason === null ? '' : `: ${escapeMarkdown(reason)}`;
    return [
      `- ${passed === false ? '✗ ' : ''}${escapeMarkdown(metric, 200)} ${escapeMarkdown(figure, 200)}${limit}${why}`,
    ];
  });
  return lines.join('\n');
}

const RISK_TEXT = { low: () => l10n.t('Low'), elevated: () => l10n.t('Elevated'), high: () => l10n.t('High') } as const;

/** A fence that is longer than any inside the text. */
function codeFence(text: string): string {
  // A copy leaves the editor, and its reader has no use for a secret.
  const shown = redactSecrets(text.slice(0, MAX_TEXT + SECRET_MARGIN)).slice(0, MAX_TEXT);
  const cut = text.length > MAX_TEXT ? `${shown}\n… ${text.length - MAX_TEXT} more characters in the file` : shown;
  const longest = Math.max(2, ...Array.from(cut.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${cut.toWellFormed()}\n${fence}`;
}
