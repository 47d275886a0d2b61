import { createHash } from 'node:crypto';
import type { Gate, LocatedEvidence, ProblemOccurrence, Report, SessionReport } from '../core/report.ts';
import { escapeInvisible, sanitizeLine } from '../core/sanitize.ts';
import { isAtLeast, type Severity } from '../core/severity.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { bySeverity } from '../report-model/session-findings.ts';
import { findRule } from '../rules/index.ts';
import type { ReportWriter } from './report-writer.ts';
import { isAbsolutePath, isRepositoryFile, repositoryPath } from './repository-file.ts';

/** More results than code scanning takes would lose the whole file: GitHub shows 5,000 of a run. */
const RESULTS = 5000;
/** Places beside the first one. */
const RELATED = 20;

/** Static Analysis Results Interchange Format, https://docs.oasis-open.org/sarif/sarif/v2.1.0/: problems as code scanning shows them. */
export const sarifReport: ReportWriter = {
  name: 'sarif',
  title: 'the problems for code scanning, at their lines',
  extension: '.sarif',
  mediaType: 'application/sarif+json',
  write: (report) => `${escapeInvisible(JSON.stringify(toSarif(report), null, 2))}\n`,
};

function toSarif(report: Report) {
  const { tool, run, failures, problems, verdict } = report;
  const sessions = new Map(report.sessions.map((session) => [session.id, session]));
  const found = failures.flatMap(({ occurrences }) => occurrences).sort(bySeverity);
  const shown = found.slice(0, RESULTS);
  const rules = [...new Set(shown.map(ruleId))];
  const indexes = new Map(rules.map((id, index) => [id, index]));
  const leftOut = found.length - shown.length;
  const notifications = [
    ...problems.map(({ file, line, severity, code, message }) => ({
      ...notification(severity, code, message),
      ...(file !== '' && { locations: [{ physicalLocation: place({ file, line }, run) }] }),
    })),
    ...runNotifications(report),
    ...(leftOut > 0
      ? [
          notification(
            'warning',
            'results-left-out',
            `${pluralize(leftOut, 'problem')} left out, the least severe: this file has at most ${RESULTS}. The other reports have all of them.`,
          ),
        ]
      : []),
  ];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Turnwise', version: tool.version, rules: rules.map(ruleDescriptor) } },
        automationDetails: { id: 'turnwise/' },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: run.complete && !problems.some(({ severity }) => severity === 'error'),
            startTimeUtc: run.startedAt,
            toolExecutionNotifications: notifications,
          },
        ],
        results: shown.map((problem) => ({
          ...toResult(problem, sessions.get(problem.session), run),
          ruleIndex: indexes.get(ruleId(problem)),
        })),
        properties: { verdict, runId: run.id },
      },
    ],
  };
}

/** Why the run as a whole does not pass, which is no problem at a line. What `problems` say already is not said again. */
function runNotifications({ gates, undecided, problems }: Report) {
  const known = new Set(problems.map(({ code }) => code));
  return [
    ...gates
      .filter(({ scope, met }) => scope !== 'session' && met === false)
      .map((gate) => notification('error', 'gate', gateText(gate))),
    ...undecided
      .filter(({ code }) => !known.has(code))
      .map(({ code, reason }) => notification('warning', code, reason)),
  ];
}

function gateText({ subject, metric, reason }: Gate): string {
  return `${metric}${subject === null ? '' : ` of ${subject}`}: ${reason}`;
}

function notification(level: 'error' | 'warning', id: string, text: string) {
  return { level, descriptor: { id }, message: { text: sanitizeLine(text) } };
}

function ruleId({ rule, metric, label }: ProblemOccurrence): string {
  return sanitizeLine(rule ?? metric ?? label);
}

/** The page of a rule is its help; a metric or an imported label has none here. */
function ruleDescriptor(id: string) {
  const rule = findRule(id);
  if (!rule) return { id, shortDescription: { text: id } };
  const { title, proves, severity, page } = rule;
  const sections = [
    ['How it works', page.how],
    ['What it does not see', page.silent],
    ['What to do', page.remedy],
  ] as const;
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: proves },
    help: {
      text: sections.map(([heading, text]) => `${heading}: ${text}`).join('\n\n'),
      markdown: sections.map(([heading, text]) => `**${heading}.** ${text}`).join('\n\n'),
    },
    defaultConfiguration: { level: severity === 'info' ? 'note' : levelOf(severity) },
  };
}

function toResult(problem: ProblemOccurrence, session: SessionReport | undefined, run: Report['run']) {
  const { severity, turn, reason, evidence } = problem;
  const { at, others } = places(problem, session, run);
  return {
    ruleId: ruleId(problem),
    level: levelOf(severity),
    message: { text: `Turn ${turn + 1}: ${sanitizeLine(reason)}` },
    locations: [
      {
        physicalLocation: place(at, run),
        logicalLocations: [
          { name: `turn ${turn + 1}`, fullyQualifiedName: `${sanitizeLine(problem.session)}/${turn + 1}` },
        ],
      },
    ],
    ...(others.length > 0 && {
      relatedLocations: others.slice(0, RELATED).map((other, id) => ({
        id,
        physicalLocation: place(other, run),
        ...('note' in other && { message: { text: sanitizeLine(other.note) } }),
      })),
    }),
    partialFingerprints: { 'turnwise/v1': fingerprint(problem, session) },
    rank: RANKS[severity],
    properties: { severity, session: sanitizeLine(problem.session), turn: turn + 1, evidence: evidence.length },
  };
}

const RANKS = { critical: 100, high: 75, medium: 50, low: 25 } as const satisfies Record<Severity, number>;

function levelOf(severity: Severity): 'error' | 'warning' | 'note' {
  if (isAtLeast(severity, 'high')) return 'error';
  return severity === 'medium' ? 'warning' : 'note';
}

interface SourceLocation extends Pick<LocatedEvidence, 'file' | 'line' | 'column' | 'endLine' | 'endColumn'> {}

/**
 * Its line in the trace, if that is in the repository, since code scanning shows files of the repository only; else
 * the scenario of the session, or what else expects something of it; else the trace, wherever it is.
 */
function places(problem: ProblemOccurrence, session: SessionReport | undefined, run: Report['run']) {
  const isInside = ({ file }: { readonly file: string }) => isRepositoryFile(repositoryPath(file, run));
  const all: readonly (SourceLocation | LocatedEvidence)[] = [problem, ...problem.evidence.slice(1)];
  const inside = all.find(isInside);
  const expecting = [session?.scenario, ...(session?.expectations ?? []).map((file) => ({ file, line: 1 }))];
  const at = inside ?? expecting.find((place) => place && isInside(place)) ?? problem;
  return { at, others: all.filter((one) => one !== at) };
}

function place({ file: path, line, column, endLine, endColumn }: SourceLocation, run: Report['run']) {
  const file = repositoryPath(path, run);
  const uri = isAbsolutePath(file) ? `file:///${file.replace(/^\//, '')}` : file;
  return {
    artifactLocation: { uri: toUri(sanitizeLine(uri)) },
    ...(line !== null && {
      region: {
        startLine: line,
        ...(column !== undefined && { startColumn: column }),
        ...(endLine !== undefined && { endLine }),
        ...(endColumn !== undefined && { endColumn }),
      },
    }),
  };
}

function toUri(path: string): string {
  const encoded = encodeURI(path.toWellFormed().replaceAll('\\', '/')).replace(
    /[#?[\]]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  // A first segment with a colon would be a scheme.
  return encoded.startsWith('file:') || !/^[^/]*:/.test(encoded) ? encoded : `./${encoded}`;
}

/** The same for what the next run finds again: of its rule, task and reason, without what differs from attempt to attempt. */
function fingerprint(problem: ProblemOccurrence, session: SessionReport | undefined): string {
  const subject = session?.task?.id ?? session?.source.file ?? problem.file;
  const reason = problem.reason
    .toLowerCase()
    .replace(/[0-9a-f]{8,}|\d+/g, '0')
    .replace(/\s+/g, ' ');
  return createHash('sha256')
    .update(JSON.stringify([ruleId(problem), subject, reason]))
    .digest('hex')
    .slice(0, 32);
}
