import { isAtLeast, isProblemLevel, type Severity } from '../../../src/core/severity.ts';
import { RULES } from '../../../src/rules/index.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import type { SetSession } from './labelled-sets.ts';
import { figure, percent, percentRange, table } from './markdown.ts';
import type { LabelledSample } from './risk-samples.ts';

/** A session with an outcome and what the rules find in it. */
type Labelled = Pick<LabelledSample, 'set' | 'domain' | 'family' | 'failed' | 'findings'>;

/** Sessions of one kind with findings, of all sessions of the kind. */
export interface Share {
  readonly count: number;
  readonly of: number;
}

export function shareText({ count, of }: Share): string {
  return of === 0 ? '–' : `${count} of ${of}: ${percent(count / of, 1)} (${percentRange(wilsonInterval(count, of))})`;
}

/** The sessions that failed, or succeeded, in which a rule finds a problem at or above a severity. */
export function withProblems(sessions: readonly Labelled[], failed: boolean, atLeast: Severity): Share {
  const ofKind = sessions.filter((session) => session.failed === failed);
  return { count: ofKind.filter((session) => hasProblem(session, atLeast)).length, of: ofKind.length };
}

function hasProblem({ findings }: Pick<Labelled, 'findings'>, atLeast: Severity): boolean {
  return findings.some(({ severity }) => isProblemLevel(severity) && isAtLeast(severity, atLeast));
}

/** Every set: how large it is, how often it failed, and where rules find problems. */
export function setTable(samples: readonly LabelledSample[]): string {
  const row = (domain: string, set: string, sessions: readonly Labelled[]) => [
    domain,
    set,
    String(sessions.length),
    String(new Set(sessions.map(({ family }) => family)).size),
    percent(sessions.filter(({ failed }) => failed).length / sessions.length),
    bare(withProblems(sessions, true, 'medium')),
    bare(withProblems(sessions, false, 'medium')),
  ];
  return table(
    [
      'domain',
      'agent and data',
      'sessions',
      'families of tasks',
      'failed',
      'medium or above in failures',
      'in successes',
    ],
    ...bySet(samples).map(([, sessions]) => row(sessions[0]?.domain ?? '', setName(sessions[0]), sessions)),
    row('all', `${bySet(samples).length} sets`, samples),
  );
}

export function bySet<Item extends Labelled>(samples: readonly Item[]): [set: string, sessions: Item[]][] {
  const sets = [...Map.groupBy(samples, ({ domain, set }) => `${domain} ${set}`)];
  return sets.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Without the domain, which has a column of its own. */
export function setName(sample: Pick<Labelled, 'set' | 'domain'> | undefined): string {
  return sample?.set.replace(`, ${sample.domain}`, '') ?? '';
}

function bare({ count, of }: Share): string {
  return of === 0 ? '–' : `${count} of ${of}`;
}

/** Each severity: in how many failures and successes there is a problem of it or above. */
export function severityTable(samples: readonly LabelledSample[]): string {
  const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low'];
  return table(
    ['problems of', 'in sessions that failed', 'in sessions that succeeded'],
    ...severities.map((severity) => [
      severity === 'critical' ? severity : `${severity} or above`,
      shareText(withProblems(samples, true, severity)),
      shareText(withProblems(samples, false, severity)),
    ]),
  );
}

/** Each rule: how the sessions with its findings ended, and in how many domains they failed more often than the others. */
export function ruleTable(samples: readonly LabelledSample[], weights: Readonly<Record<string, number>>): string {
  const rows = RULES.flatMap(({ id, severity }) => {
    const found = samples.filter(({ findings }) => findings.some(({ rule }) => rule === id));
    if (found.length === 0) return [];
    const failed = found.filter((session) => session.failed).length;
    return {
      count: found.length,
      cells: [
        `\`${id}\``,
        severity,
        String(found.length),
        String(new Set(found.map(({ family }) => family)).size),
        `${percent(failed / found.length)} (${percentRange(wilsonInterval(failed, found.length))})`,
        figure(oddsRatio(samples, id), 1),
        domainsAbove(samples, id),
        Object.hasOwn(weights, id) ? figure(weights[id] ?? null, 2) : '–',
      ],
    };
  });
  return table(
    [
      'rule',
      'severity',
      'sessions',
      'families',
      'failed (95 % interval)',
      'odds ratio within sets',
      'domains: more failures',
      'weight',
    ],
    ...rows.sort((a, b) => b.count - a.count).map(({ cells }) => cells),
  );
}

/** The odds ratio of failure with and without a finding of the rule, within sets (Mantel and Haenszel). Null without pairs. */
function oddsRatio(samples: readonly LabelledSample[], rule: string): number | null {
  let [above, below] = [0, 0];
  for (const [, sessions] of bySet(samples)) {
    const count = (found: boolean, failed: boolean) =>
      sessions.filter(
        (session) => session.failed === failed && session.findings.some((one) => one.rule === rule) === found,
      ).length;
    above += (count(true, true) * count(false, false)) / sessions.length;
    below += (count(true, false) * count(false, true)) / sessions.length;
  }
  return below === 0 ? null : above / below;
}

/** `5 of 7`: of the domains with sessions of both kinds, those where sessions with findings failed more often. */
function domainsAbove(samples: readonly LabelledSample[], rule: string): string {
  const domains = [...Map.groupBy(samples, ({ domain }) => domain).values()].flatMap((sessions) => {
    const [found, others] = [true, false].map((is) =>
      sessions.filter(({ findings }) => findings.some((finding) => finding.rule === rule) === is),
    );
    if (!found?.length || !others?.length) return [];
    const rate = (some: readonly Labelled[]) => some.filter(({ failed }) => failed).length / some.length;
    return [rate(found) > rate(others)];
  });
  return `${domains.filter(Boolean).length} of ${domains.length}`;
}

/** The rules that find nothing in any of the sessions, which proves neither for nor against them. */
export function silentRules(samples: readonly Pick<Labelled, 'findings'>[]): string {
  const found = new Set(samples.flatMap(({ findings }) => findings.map(({ rule }) => rule)));
  const silent = RULES.filter(({ id }) => !found.has(id));
  return `No findings in any session: ${silent.length === 0 ? 'none' : silent.map(({ id }) => `\`${id}\``).join(', ')}.`;
}

const INJECTED = 'injected-instruction';

/** Runs of one label with a finding of `injected-instruction`. */
export function injectionShare(sessions: readonly SetSession[], attack: SetSession['attack']): Share {
  const ofKind = sessions.filter((session) => session.attack === attack);
  return {
    count: ofKind.filter(({ findings }) => findings.some(({ rule }) => rule === INJECTED)).length,
    of: ofKind.length,
  };
}

/** Each suite of AgentDojo: what the rule says of attacks that succeeded, were resisted, or were not made. */
export function injectionTable(sessions: readonly SetSession[]): string {
  const attacked = sessions.filter(({ attack }) => attack !== null);
  const row = (name: string, some: readonly SetSession[]) => [
    name,
    ...(['success', 'resisted', 'none'] as const).map((attack) => bare(injectionShare(some, attack))),
  ];
  return table(
    ['suite', 'attacks that succeeded', 'resisted', 'runs without an attack'],
    ...[...Map.groupBy(attacked, ({ domain }) => domain)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, some]) => row(name, some)),
    row('all', attacked),
  );
}
