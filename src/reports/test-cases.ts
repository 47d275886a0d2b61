import type { Problem } from '../core/problem.ts';
import type { Gate, ProblemOccurrence, Report, SessionReport, TaskSummary, Undecided } from '../core/report.ts';
import { bySeverity } from '../report-model/session-findings.ts';
import { nothingNewText } from '../runs/nothing-new.ts';

/** Limit of the problems of a session that are listed. */
const PROBLEMS = 50;

/** The suite of what concerns the whole run: its gates, what leaves it undecided, what could not be read, and tasks of several suites. */
export const RUN_SUITE = 'run';

/** A session as reports for CI servers show it: as a test. */
export interface TestCase {
  readonly name: string;
  /** An `error` is what nothing decided: it did not pass. What the run passes without, passing or not, is `skipped`. */
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  /** The rule, metric or code that it is about. */
  readonly type: string;
  readonly message: string;
  /** Each problem with its line, the worst first. */
  readonly details: readonly string[];
  /** Where the session stands in the repository: its scenario, else its trace. Null for what is about the whole run. */
  readonly file: string | null;
  /** Of the scenario, else of the worst problem. */
  readonly line: number | null;
}

export interface TestSuite {
  /** The scenario file, else the trace file. */
  readonly name: string;
  readonly cases: readonly TestCase[];
  /** Those whose attempts are all in it. */
  readonly tasks: readonly TaskSummary[];
}

/**
 * A suite per scenario file or trace file, with a case per session, and one of the run. They agree with its verdict, which follows from its gates and
 * from what leaves it undecided: each of these that is not met is a case that did not pass, and other sessions fail nothing.
 */
export function testSuites(report: Report): TestSuite[] {
  const { sessions, scenarios, failures, gates, undecided, problems } = report;
  const found = Map.groupBy(
    failures.flatMap(({ occurrences }) => occurrences),
    ({ session }) => session,
  );
  const effects = new SessionEffects(report);
  const suites = new Map(sessions.map((session) => [session.id, fileOf(session)]));
  const tasks = Map.groupBy(scenarios, (task) => {
    const [name = RUN_SUITE, ...others] = new Set(task.sessions.flatMap((id) => suites.get(id) ?? []));
    return others.length === 0 ? name : RUN_SUITE;
  });
  const tasksOf = (name: string) => tasks.get(name) ?? [];
  const files = Array.from(Map.groupBy(sessions, fileOf), ([name, own]) => ({
    name,
    cases: own.map((session) => sessionCase(session, found.get(session.id) ?? [], effects)),
    tasks: tasksOf(name),
  }));
  const ofRun = [
    ...nothingNewCase(report),
    ...undecided.filter(({ code }) => code !== 'gate').map(undecidedCase),
    ...gates.filter(({ scope }) => scope !== 'session').map(gateCase),
    ...problems.filter(({ severity }) => severity === 'error').map(problemCase),
  ];
  if (ofRun.length === 0 && tasksOf(RUN_SUITE).length === 0) return files;
  return [...files, { name: RUN_SUITE, cases: ofRun, tasks: tasksOf(RUN_SUITE) }];
}

function fileOf({ scenario, source }: SessionReport): string {
  return scenario?.file ?? source.file;
}

export function countCases(cases: readonly TestCase[], kind: TestCase['kind']): number {
  return cases.filter((one) => one.kind === kind).length;
}

function sessionCase(session: SessionReport, found: readonly ProblemOccurrence[], effects: SessionEffects): TestCase {
  const { id, scenario, headline, undecided = [] } = session;
  const kind = effects.kindOf(session);
  const sorted = found.toSorted(bySeverity);
  const [worst] = sorted;
  const more = found.length - PROBLEMS;
  return {
    name: id,
    kind,
    type: worst?.rule ?? headline.kind,
    message: headline.text,
    details: [
      ...(kind === 'skipped' && headline.kind !== 'not-run' ? [WITHOUT_EFFECT] : []),
      ...(SAYS_WHY.has(headline.kind)
        ? []
        : effects.unmet(session).map(({ metric, reason }) => `${metric}: ${reason}`)),
      ...undecided,
      ...sorted.slice(0, PROBLEMS).map(problemLine),
      ...(more > 0 ? [`and ${more} more, in the other reports`] : []),
    ],
    file: fileOf(session),
    line: scenario ? scenario.line : (worst?.line ?? null),
  };
}

const WITHOUT_EFFECT = 'This has no effect on the verdict of the run.';

/** Kinds of headlines that say why a session did not pass. */
const SAYS_WHY: ReadonlySet<string> = new Set(['failed', 'undecided']);

/** What sessions do to the verdict of their run: where a baseline, or a gate on all attempts, decides, one may fail without failing it. */
class SessionEffects {
  readonly #verdict: Report['verdict'];
  /** Gates that are not met, by their session. */
  readonly #unmet: ReadonlyMap<string | null, readonly Gate[]>;
  /** Whether a gate of the run failed, of which any session may be the cause. */
  readonly #isRunFailed: boolean;
  /** Names of the tasks that failed, and ids of their sessions. */
  readonly #failedTasks: ReadonlySet<string | null>;
  readonly #inFailedTasks: ReadonlySet<string>;

  constructor({ verdict, gates, scenarios }: Pick<Report, 'verdict' | 'gates' | 'scenarios'>) {
    const failed = gates.filter(({ met }) => met === false);
    this.#verdict = verdict;
    this.#unmet = Map.groupBy(
      gates.filter(({ scope, met }) => scope === 'session' && met !== true),
      ({ subject }) => subject,
    );
    this.#isRunFailed = failed.some(({ scope }) => scope === 'run');
    this.#failedTasks = new Set(failed.filter(({ scope }) => scope === 'scenario').map(({ subject }) => subject));
    this.#inFailedTasks = new Set(
      scenarios.filter(({ name }) => this.#failedTasks.has(name)).flatMap(({ sessions }) => sessions),
    );
  }

  /** The session's own gates that are not met and count for the run. */
  unmet({ id }: SessionReport): readonly Gate[] {
    return this.#unmet.get(id) ?? [];
  }

  kindOf(session: SessionReport): TestCase['kind'] {
    const { verdict, headline } = session;
    const own = this.unmet(session);
    const isFailed = verdict === 'failed' || headline.kind === 'failed';
    if (own.some(({ met }) => met === false) || (isFailed && this.#mayFail(session))) return 'failure';
    if (own.length > 0) return 'error';
    if (headline.kind === 'not-run') return 'skipped';
    if (verdict === 'undecided' && this.#verdict !== 'passed') return 'error';
    return isFailed || verdict === 'undecided' ? 'skipped' : 'passed';
  }

  /** Whether a gate failed that the session is part of. */
  #mayFail({ id, task }: SessionReport): boolean {
    return this.#isRunFailed || this.#inFailedTasks.has(id) || (task !== null && this.#failedTasks.has(task.id));
  }
}

/** `a.json:62: turn 2, high, success-after-error: …` */
function problemLine({ file, line, turn, severity, rule, metric, label, reason }: ProblemOccurrence): string {
  return `${file}${line === null ? '' : `:${line}`}: turn ${turn + 1}, ${severity}, ${rule ?? metric ?? label}: ${reason}`;
}

function gateCase({ subject, metric, met, reason }: Gate): TestCase {
  const kind = met === null ? 'error' : met ? 'passed' : 'failure';
  const name = subject === null ? metric : `${metric} of ${subject}`;
  return { name, kind, type: metric, message: reason, details: [], file: null, line: null };
}

/** A report without any case would look as if nothing had been there. */
function nothingNewCase(report: Report): TestCase[] {
  const text = nothingNewText(report);
  if (text === null) return [];
  return [
    { name: 'since-run', kind: 'passed', type: 'since-run', message: text, details: [text], file: null, line: null },
  ];
}

/** In the words of the table. */
function undecidedCase({ code, reason }: Undecided): TestCase {
  return { name: code, kind: 'error', type: code, message: reason, details: [], file: null, line: null };
}

function problemCase({ file, line, code, message }: Problem): TestCase {
  const name = file === '' ? code : `${file}${line === null ? '' : `:${line}`}`;
  return { name, kind: 'error', type: code, message, details: [], file: null, line };
}
