import type { Session, Step, Turn } from '../../core/session.ts';
import type { HeldSession } from '../held/rows.ts';
import { escaped } from '../wording/markdown.ts';
import { foundByTurn } from './findings.ts';
import { own, resultOf, SESSION_RISK, TURN_RISK } from './scores.ts';
import { answerStep, textOfStep } from './step-texts.ts';
import { reportOfTurn } from './turn-reports.ts';

/** Of one text, and of all together, in characters. */
const TEXT = 20_000;
const ALL = 2_000_000;

/** A turn, or the whole session, for an issue or a chat: what the trace says stands in fences, and is only text there. */
export function markdownOf(held: HeldSession, session: Session, turn: number | null): string | null {
  if (turn !== null) {
    const one = session.turns[turn];
    return one ? `${turnMarkdown(held, one, turn).join('\n\n')}\n` : null;
  }
  const parts = [...sessionHead(held)];
  let room = ALL;
  for (const [index, one] of session.turns.entries()) {
    const text = turnMarkdown(held, one, index).join('\n\n');
    room -= text.length;
    if (room < 0) {
      parts.push(`*${session.turns.length - index} more turns are in the file.*`);
      break;
    }
    parts.push(text);
  }
  return `${parts.join('\n\n')}\n`;
}

function* sessionHead({ row, detail: { report } }: HeldSession): Generator<string> {
  yield `# Session ${escaped(row.id, 200)}: ${row.verdict}${riskWords(row.risk)}`;
  if (row.riskReason !== null) yield escaped(row.riskReason);
  const scores = scoreLines(report.metrics, SESSION_RISK);
  if (scores !== '') yield scores;
}

function turnMarkdown(held: HeldSession, turn: Turn, index: number): string[] {
  const report = reportOfTurn(held, index);
  const risk = report && resultOf(report.metrics, TURN_RISK)?.score;
  const answer = answerStep(turn);
  return [
    `## Turn ${index + 1}${riskWords(risk ?? null)}`,
    ...failureLines(held, index),
    ...(turn.input === null ? [] : [`**User**`, fenced(turn.input)]),
    ...turn.steps.flatMap((step, at) => (at === answer ? [] : stepMarkdown(step))),
    ...(turn.output === null ? [] : [`**Agent**`, fenced(turn.output)]),
    ...(report ? [scoreLines(report.metrics, TURN_RISK)].filter((lines) => lines !== '') : []),
  ];
}

function stepMarkdown(step: Step): string[] {
  switch (step.type) {
    case 'model':
      return [
        ...(step.reasoning ? ['*Reasoning*', fenced(step.reasoning)] : []),
        ...(step.text ? ['*Agent*', fenced(step.text)] : []),
        ...(step.error ? ['*Failed call of the model*', fenced(step.error)] : []),
      ];
    case 'tool': {
      const result = textOfStep(step, 'result');
      return [
        `**Tool** ${escaped(step.name, 200)}${OUTCOMES[step.outcome]}`,
        fenced(textOfStep(step, 'arguments') ?? ''),
        ...(result === null ? [] : ['*Result*', fenced(result)]),
        ...(step.error === undefined ? [] : ['*Error*', fenced(step.error)]),
      ];
    }
    case 'retrieval':
      return [
        '**Retrieval**',
        ...(step.query === undefined ? [] : [fenced(step.query)]),
        ...step.documents.map(({ text }) => fenced(text)),
      ];
    case 'agent':
      return [`**Sub-agent** ${escaped(step.name, 200)}: ${step.turns.length} turns`];
  }
}

const OUTCOMES = { ok: '', error: ': failed', rejected: ': refused by the user', missing: ': no result' } as const;

function failureLines({ detail }: HeldSession, index: number): string[] {
  const failures = foundByTurn(detail.found).failures.get(index) ?? [];
  if (failures.length === 0) return [];
  const lines = failures.map(
    ({ label, severity, reason }) => `- ✗ ${escaped(label, 200)} (${severity}): ${escaped(reason)}`,
  );
  return [lines.join('\n')];
}

/** A table would need more care with what names have in them. */
function scoreLines(metrics: Parameters<typeof own>[0], risk: string): string {
  const lines = own(metrics).flatMap(([metric, { status, score, label, threshold, passed, reason }]) => {
    const value = score ?? label;
    if (metric === risk || status !== 'scored' || value === null) return [];
    const figure = typeof value === 'number' ? String(Number(value.toFixed(2))) : value;
    const limit = threshold === null ? '' : ` (threshold ${threshold})`;
    const said = reason === null ? '' : `: ${escaped(reason)}`;
    return [`- ${passed === false ? '✗ ' : ''}${escaped(metric, 200)} ${escaped(figure, 200)}${limit}${said}`];
  });
  return lines.join('\n');
}

function riskWords(risk: number | null): string {
  return risk === null ? '' : ` · risk ${risk.toFixed(2)}`;
}

/** A fence is longer than any within. */
function fenced(text: string): string {
  const cut = text.length > TEXT ? `${text.slice(0, TEXT)}\n… ${text.length - TEXT} more characters in the file` : text;
  const longest = Math.max(2, ...Array.from(cut.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${cut.toWellFormed()}\n${fence}`;
}
