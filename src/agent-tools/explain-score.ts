import * as z from 'zod';
import { didYouMean } from '../config/suggest.ts';
import { lazy } from '../core/cache/memoize.ts';
import type { Evidence, Result } from '../core/result.ts';
import { formatScoreWithScale } from '../core/score-text.ts';
import { sessionLine } from '../core/session-line.ts';
import { isScore } from '../core/statuses.ts';
import { limitList } from '../core/text/lists.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { METRICS, metricByName } from '../metrics/index.ts';
import { type ScoreBreakdown, scoreBreakdown } from '../report-model/breakdowns/session-breakdown.ts';
import { lowerIsBetter, metricResult, type NamedResult, ownResults } from '../report-model/metric-results.ts';
import { findingsBySession, NO_FINDINGS } from '../report-model/session-findings.ts';
import { SessionModel } from '../report-model/session-model.ts';
import { placeText, quoted, quotedName, ruleName } from '../reports/agent-text.ts';
import { findSession, type ProjectRun, type SessionOfRun, turnPlace } from './project-runs.ts';
import type { TraceOfSession } from './project-traces.ts';
import { defineTool, RUN_ARG, SESSION_ARG } from './tool.ts';
import { ToolError } from './tool-error.ts';

export const explainScore = defineTool({
  name: 'explain_score',
  title: 'Explain Score',
  description:
    'Explains the score of a metric in a session or one of its turns: what it measures, where the score comes from, its reason, its evidence with file:line, and what it is made of. Without "metric" it lists the scores that there are.',
  args: {
    run: RUN_ARG,
    session: SESSION_ARG,
    turn: z.number().int().min(1).optional().describe('The turn, counted from 1; without it, the whole session.'),
    metric: z.string().min(1).max(200).optional().describe('Name of the metric, such as "session_risk".'),
  },
  async answer({ run: reference, session: wanted, turn, metric }, { runs, traces, signal }) {
    const run = await runs.open(reference);
    const session = findSession(run, wanted);
    const { report } = session;
    const ofTurn = turn === undefined ? undefined : report.turns.find(({ index }) => index === turn - 1);
    if (turn !== undefined && !ofTurn) {
      throw new ToolError(
        `Session ${session.number} has ${pluralize(report.turns.length, 'evaluated turn')}, and no turn ${turn}.`,
      );
    }
    const { metrics } = ofTurn ?? report;
    const where = `run ${run.reference}, session ${session.number} ${quotedName(report.id)}${turn === undefined ? '' : `, turn ${turn} of ${report.turns.length}`} in ${ofTurn ? turnPlace(run, session, ofTurn) : placeText(session.file, sessionLine(report))}`;
    const common = {
      key: [run.reference, session.number, turn ?? null, metric ?? null],
      again: { run: run.reference },
    };
    if (metric === undefined) {
      const results = ownResults(metrics);
      const scored = results.filter(([, { status }]) => status === 'scored').length;
      return {
        ...common,
        head: `${where}: ${scored} of ${pluralize(results.length, 'metric')} scored.`,
        items: scoreLines(results),
        nothing: 'No metric was computed.',
      };
    }
    const result = metricResult(metrics, metric);
    if (!result) {
      const names = METRICS.map(({ name }) => name);
      throw new ToolError(
        `There is no result of ${quotedName(metric)} here.${didYouMean(metric, names)} Without "metric", explain_score lists all.`,
      );
    }
    const trace = result.evidence.length > 0 ? await traces.read(session, signal) : null;
    return {
      ...common,
      head: `${where}: ${ruleName(metric)}.`,
      items: [
        () => resultText([metric, result]),
        ...questionLines(metric),
        ...(turn === undefined ? turnLines(metric, session, run) : []),
        ...(turn === undefined ? breakdownLines([metric, result], session, run) : []),
        ...evidenceLines(result, session, trace),
      ],
      nothing: '',
    };
  },
});

type Line = () => string;

/** A line for each score, then one for each reason why others have none. */
function scoreLines(results: readonly NamedResult[]): Line[] {
  const [scores, others] = [true, false].map((has) => results.filter(([, { status }]) => isScore(status) === has));
  const byStatus = Map.groupBy(others ?? [], ([, { status }]) => status);
  return [
    ...(scores ?? []).map((result) => () => resultText(result)),
    ...Array.from(byStatus, ([status, of]) => () => {
      const names = limitList(of, MAX_NAMES, ([metric]) => ruleName(metric)).join(', ');
      return `${status}, ${pluralize(of.length, 'metric')}: ${names}`;
    }),
  ];
}

const MAX_NAMES = 12;

function resultText([metric, result]: NamedResult): string {
  const { status, score, label, scale, threshold, passed, source, band, reason } = result;
  const value = score === null ? (label === null ? status : quotedName(label)) : formatScoreWithScale(score, scale);
  const parts = [
    ...(score === null && label === null ? [] : [status]),
    ...(source === null ? [] : [`source: ${source}`]),
    ...(threshold === null || passed === null ? [] : [`threshold ${threshold}: ${passed ? 'met' : 'not met'}`]),
    ...(lowerIsBetter(metric) ? ['lower is better'] : []),
    ...(band === null ? [] : [`band ${quotedName(band.name)}`]),
  ];
  const about = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return `${ruleName(metric)}: ${value}${about}${reason === null ? '' : `: ${quoted(reason)}`}`;
}

function questionLines(metric: string): Line[] {
  const question = metricByName(metric)?.question;
  return question === undefined ? [] : [() => `measures: ${quoted(question)}`];
}

/** Of a turn metric, the session has the mean. */
function turnLines(metric: string, session: SessionOfRun, run: ProjectRun): Line[] {
  const { report } = session;
  const turns = report.turns.flatMap((turn) => {
    const result = metricResult(turn.metrics, metric);
    return result ? [{ turn, result }] : [];
  });
  if (turns.length === 0) return [];
  const scored = turns.filter(({ result }) => result.status === 'scored').length;
  return [
    () => `mean of ${scored} of ${pluralize(report.turns.length, 'turn')} with a score:`,
    ...turns.map(
      ({ turn, result }) =>
        () =>
          `turn ${turn.index + 1} at ${turnPlace(run, session, turn)}: ${resultText([metric, result])}`,
    ),
  ];
}

function breakdownLines(result: NamedResult, session: SessionOfRun, run: ProjectRun): Line[] {
  const { report } = session;
  const findings = findingsBySession(run.report).get(report.id) ?? NO_FINDINGS;
  const model = new SessionModel({ report, run: run.report.run, findings, turnCount: report.turns.length });
  const breakdown = scoreBreakdown(result, model);
  const placeOf = (index: number) => {
    const turn = report.turns.find((one) => one.index === index);
    return turn ? `turn ${index + 1} at ${turnPlace(run, session, turn)}` : `turn ${index + 1}`;
  };
  return breakdown ? partLines(breakdown, placeOf) : [];
}

/** @param placeOf the name of a turn, by its index, with its place */
function partLines(breakdown: ScoreBreakdown, placeOf: (turn: number) => string): Line[] {
  switch (breakdown.metric) {
    case 'session_risk': {
      const { base, terms, adding } = breakdown;
      return [
        () =>
          `made of: a base of ${base.toFixed(2)}, and ${adding} of ${pluralize(terms.length, 'term')} that add to it`,
        ...terms.map(({ kind, name, because, adds, turns }) => () => {
          const where = turns.slice(0, MAX_TURNS).map((turn) => `, ${placeOf(turn)}`);
          return `${kind} ${ruleName(name)} adds ${adds.toFixed(2)}${where.join('')}: ${quoted(because)}`;
        }),
      ];
    }
    case 'agent_reliability': {
      const { counting, mean, highest, turns } = breakdown;
      return [
        () =>
          `made of: the ${counting} of ${pluralize(turns.length, 'turn')} with the highest risk, mean ${mean.toFixed(2)}, highest ${highest.toFixed(2)}`,
        ...turns.map(
          ({ turn, risk, isCounted }) =>
            () =>
              `${placeOf(turn)}: risk ${risk.toFixed(2)}${isCounted ? ', counted' : ''}`,
        ),
      ];
    }
    // Their reasons say the same.
    case 'agent_consistency':
    case 'session_trend':
      return [];
  }
}

const MAX_TURNS = 5;

function evidenceLines({ evidence }: Result, { report, file }: SessionOfRun, trace: TraceOfSession | null): Line[] {
  if (!trace || evidence.length === 0) return [];
  if (!trace.session)
    return [() => `evidence: ${pluralize(evidence.length, 'place')}, without lines: ${trace.missing}`];
  const { source } = trace.session;
  const fileOf = (one: Evidence) =>
    one.file === undefined || one.file === report.source.file ? source.file : one.file;
  const lines = lazy(
    () =>
      new Map(
        Array.from(
          Map.groupBy(evidence, fileOf),
          ([of, all]) =>
            [
              of,
              trace.locate(
                of,
                all.map(({ pointer }) => pointer),
              ),
            ] as const,
        ),
      ),
  );
  return evidence.map((one) => () => {
    const line = lines().get(fileOf(one))?.get(one.pointer)?.line ?? null;
    const shown = fileOf(one) === source.file ? file : trace.shownFile(fileOf(one));
    return `evidence at ${placeText(shown, line)}: ${quoted(one.note)}`;
  });
}
