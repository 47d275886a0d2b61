import * as z from 'zod';
import { lazy } from '../core/cache/memoize.ts';
import { formatScoreWithScale } from '../core/score-text.ts';
import { type Pointer, type Step, type Turn, turnFile } from '../core/session.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { ownResults } from '../report-model/metric-results.ts';
import { shortfalls } from '../report-model/shortfall.ts';
import { answerStepIndex, argumentsText, resultText } from '../report-model/transcript/turn-texts.ts';
import { placeText, problemText, quoted, quotedName, ruleName } from '../reports/agent-text.ts';
import { findSession, type ProjectRun, type SessionOfRun, turnPlace } from './project-runs.ts';
import type { TraceOfSession } from './project-traces.ts';
import { defineTool, RUN_ARG, SESSION_ARG } from './tool.ts';
import { ToolError } from './tool-error.ts';

/** Of a text of the trace, in UTF-16 code units: its line leads to all of it. */
const TEXT = 600;

export const getTurn = defineTool({
  name: 'get_turn',
  title: 'Get Turn',
  description:
    'Shows one turn of an evaluated session: its problems, then what the user said, each call of a tool with arguments and result, and the answer, each with file:line. Long texts are cut.',
  args: {
    run: RUN_ARG,
    session: SESSION_ARG,
    turn: z.number().int().min(1).describe('The turn, counted from 1.'),
  },
  async answer({ run: reference, session: wanted, turn: number }, { runs, traces, signal }) {
    const run = await runs.open(reference);
    const session = findSession(run, wanted);
    const { turns } = session.report;
    const report = turns.find(({ index }) => index === number - 1);
    if (!report) {
      throw new ToolError(
        `Session ${session.number} has ${pluralize(turns.length, 'evaluated turn')}, and no turn ${number}.`,
      );
    }
    const trace = await traces.read(session, signal);
    return {
      head: `run ${run.reference}, session ${session.number} ${quotedName(session.report.id)}: turn ${number} of ${turns.length}, at ${turnPlace(run, session, report)}.`,
      items: [
        ...findingLines(run, session, number - 1),
        ...scoreLines(report.metrics, turnPlace(run, session, report)),
        ...turnLines(trace, number - 1),
      ],
      nothing: 'The turn is empty.',
      key: [run.reference, session.number, number],
      again: { run: run.reference },
    };
  },
});

type Line = () => string;

function findingLines({ report, shownFile }: ProjectRun, session: SessionOfRun, index: number): Line[] {
  const problems = report.failures
    .flatMap(({ occurrences }) => occurrences)
    .filter((one) => one.session === session.report.id && one.turn === index);
  return problems.map((problem) => () => `problem: ${problemText(problem, shownFile(problem.file))}`);
}

/** @param place of the turn */
function scoreLines(metrics: SessionOfRun['report']['turns'][number]['metrics'], place: string): Line[] {
  const own = ownResults(metrics);
  const scored = own.filter(([, { status }]) => status === 'scored').length;
  const below = shortfalls(metrics);
  const first = () =>
    `scores: ${scored} of ${pluralize(own.length, 'metric')} scored, ${below.length} not meeting the threshold`;
  return [
    first,
    ...below.map(({ metric, score, threshold, result: { scale, reason } }) => () => {
      const why = reason === null ? '' : `: ${quoted(reason)}`;
      return `score at ${place}: ${ruleName(metric)} ${formatScoreWithScale(score, scale)}, threshold ${threshold}${why}`;
    }),
  ];
}

function turnLines(trace: TraceOfSession, index: number): Line[] {
  if (!trace.session) return [() => `no transcript: ${trace.missing}`];
  const turn = trace.session.turns[index];
  if (!turn) return [() => 'no transcript: the trace has no such turn any more'];
  const texts = [...textsOf(turn)];
  const file = turnFile(trace.session, turn);
  const located = lazy(() => trace.locate(file, new Set(texts.flatMap(({ pointer }) => pointer ?? []))));
  return texts.map(({ label, pointer, text }) => () => {
    const line = pointer === undefined ? null : (located().get(pointer)?.line ?? null);
    return `${label} at ${placeText(trace.shownFile(file), line)}: ${quoted(text, TEXT)}`;
  });
}

interface LabelledText {
  readonly label: string;
  readonly pointer: Pointer | undefined;
  readonly text: string;
}

function* textsOf(turn: Turn): Generator<LabelledText> {
  if (turn.input !== null) yield { label: 'user', pointer: turn.inputPointer ?? turn.pointer, text: turn.input };
  const answer = answerStepIndex(turn);
  for (const [index, step] of turn.steps.entries()) {
    if (index !== answer) yield* stepTexts(step, `step ${index + 1}`);
  }
  if (turn.output !== null) yield { label: 'answer', pointer: turn.outputPointer, text: turn.output };
}

function* stepTexts(step: Step, name: string): Generator<LabelledText> {
  const { pointer } = step;
  switch (step.type) {
    case 'model':
      if (step.reasoning !== undefined) yield { label: `${name}, reasoning`, pointer, text: step.reasoning };
      if (step.text !== undefined) yield { label: `${name}, text`, pointer, text: step.text };
      if (step.error !== undefined) yield { label: `${name}, error of the model call`, pointer, text: step.error };
      return;
    case 'tool': {
      const by = step.requestedBy === 'user' ? ' by the user' : '';
      yield {
        label: `${name}, call of ${quotedName(step.name)}${by}, arguments`,
        pointer,
        text: argumentsText(step.arguments),
      };
      const result = step.error ?? (step.result === undefined ? '' : resultText(step.result));
      yield { label: `${name}, result (${step.outcome})`, pointer: step.resultPointer ?? pointer, text: result };
      return;
    }
    case 'retrieval':
      yield {
        label: `${name}, retrieval of ${pluralize(step.documents.length, 'document')}`,
        pointer,
        text: step.query ?? '',
      };
      for (const [at, { text }] of step.documents.entries())
        yield { label: `${name}, document ${at + 1}`, pointer, text };
      return;
    case 'agent':
      yield { label: `${name}, sub-agent with ${pluralize(step.turns.length, 'turn')}`, pointer, text: step.name };
      return;
  }
}
