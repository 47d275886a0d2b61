import type { Finding } from '../../../src/core/finding.ts';
import { get } from '../../../src/core/json.ts';
import type { Result } from '../../../src/core/result.ts';
import type { Session, Turn } from '../../../src/core/session.ts';
import type { JudgeSettings } from '../../../src/judge/judge.ts';
import type { ChatPrompt } from '../../../src/llm/chat-model.ts';
import type { BoundJudge, SessionMetric, TurnMetric } from '../../../src/metrics/metric.ts';
import { minimalValue } from '../../support/minimal-value.ts';
import { createTestJudge, questionNames, scriptedModel } from '../judge/support.ts';
import { resultOf, sessionView, turnOf, turnView, type ViewOptions } from './views.ts';

/**
 * The model's answers by question name. Of a list, each request takes the next answer; the last one repeats. A question
 * without a scripted answer gets the minimal valid answer.
 */
export type ScriptedAnswers = Readonly<Record<string, unknown>>;

export interface JudgedResult {
  readonly result: Result;
  /** The question names of each call. */
  readonly calls: readonly (readonly string[])[];
  readonly prompts: readonly ChatPrompt[];
  /** All text shown in the last call. */
  readonly shown: string;
}

export interface ScriptOptions extends Omit<ViewOptions, 'judge'> {
  /** As written in a configuration. */
  readonly options?: unknown;
  readonly findings?: readonly Finding[];
  readonly settings?: Partial<JudgeSettings>;
}

/** Evaluates a turn metric with these model answers, which the real judge asks for, parses and checks. */
export function judgeTurn(
  metric: TurnMetric,
  turn: Partial<Turn> | { readonly session: Session; readonly index: number },
  answers: ScriptedAnswers,
  own: ScriptOptions = {},
): Promise<JudgedResult> {
  const { session, index } = 'session' in turn ? turn : { session: sessionAround({ ...turnOf(0), ...turn }), index: 0 };
  return runScripted(metric, session, answers, own, (about) => {
    const view = turnView(session, index, {
      ...own,
      judge: { ask: (question, how) => about.askTurn(index, question, how) },
    });
    const findings = (own.findings ?? []).filter((finding) => finding.turn === index);
    return metric.evaluate({ ...view, findings }, metric.options?.parse(own.options ?? {}));
  });
}

export function judgeSession(
  metric: SessionMetric,
  session: Session,
  answers: ScriptedAnswers,
  own: ScriptOptions = {},
): Promise<JudgedResult> {
  return runScripted(metric, session, answers, own, (about) => {
    const judge: BoundJudge = { ask: (question, how) => about.askSession(question, how) };
    const view = { ...sessionView(session, { ...own, judge }), findings: own.findings ?? [] };
    return metric.evaluate(view, metric.options?.parse(own.options ?? {}));
  });
}

async function runScripted(
  metric: TurnMetric | SessionMetric,
  session: Session,
  answers: ScriptedAnswers,
  { findings = [], settings = {} }: ScriptOptions,
  evaluate: (about: ReturnType<ReturnType<typeof createTestJudge>['forSession']>) => ReturnType<TurnMetric['evaluate']>,
): Promise<JudgedResult> {
  const model = scriptedModel(scriptFor(answers));
  const outcome = await evaluate(createTestJudge(model, settings).forSession(session, findings));
  const last = model.prompts.at(-1);
  return {
    result: resultOf(outcome, metric),
    calls: model.prompts.map(questionNames),
    prompts: model.prompts,
    shown: last ? [last.system, ...last.parts].join('\n') : '',
  };
}

function scriptFor(answers: ScriptedAnswers) {
  const times = new Map<string, number>();
  return (prompt: ChatPrompt) => {
    const least = minimalValue(prompt.exactSchema());
    return Object.fromEntries(
      questionNames(prompt).map((name) => {
        const scripted = answers[name];
        const time = times.get(name) ?? 0;
        times.set(name, time + 1);
        const value = Array.isArray(scripted) ? (scripted[time] ?? scripted.at(-1)) : scripted;
        return [name, value === undefined ? get(least, name) : value];
      }),
    );
  };
}

function sessionAround(turn: Turn): Session {
  return { id: 's1', source: { file: 'trace.json', format: 'test', pointer: '' }, turns: [turn] };
}
