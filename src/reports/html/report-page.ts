import { createHash } from 'node:crypto';
import type { FailureGroup, Report } from '../../core/report.ts';
import { sanitizeLine } from '../../core/sanitize.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { gateRow } from '../../panel/header.ts';
import { overviewEntry, overviewSession } from '../../panel/overview/entries.ts';
import { groupTasks, overviewScoresOf, summarizeOverview } from '../../panel/overview/summary.ts';
import { gatesBySession, type PanelSession, sessionFigures } from '../../panel/panel-session.ts';
import { Transcript } from '../../panel/transcript.ts';
import { limitName, limitSentence } from '../../panel/values.ts';
import type { PageIndex, PageProblemGroup, PageRun, PageSession } from '../../protocol/report-page.ts';
import { alertText } from '../../report-model/alert-text.ts';
import { correctedShareTexts } from '../../report-model/corrected-share.ts';
import { incompleteCause } from '../../report-model/incomplete-run.ts';
import { attemptsOfReport } from '../../report-model/session-attempts.ts';
import { findingsBySession, NO_FINDINGS, sortGroups } from '../../report-model/session-findings.ts';
import { missedCallFacts } from '../../report-model/trace-facts.ts';
import { nothingNewText } from '../../runs/nothing-new.ts';
import type { ReportOptions } from '../report-writer.ts';
import { compress, PageBlocks, toJson } from './page-blocks.ts';
import { type PageFiles, readPageFiles } from './page-files.ts';
import { isWithoutProblems, storeSession } from './session-page.ts';
import { SessionReader } from './session-reader.ts';

/** Bytes of the sessions in a report. */
const MAX_BYTES = 40_000_000;
/** Limits of what the first page lists. */
const MAX_GROUPS = 50;
const MAX_OCCURRENCES = 5;
const MAX_GATES = 50;
const MAX_PROBLEMS = 50;

/** The page in pieces. @param record the recorded run; null: there are no transcripts. */
export async function* writePage(
  report: Report,
  record: NonNullable<ReportOptions['record']> | null,
): AsyncGenerator<string> {
  const files = await readPageFiles();
  const blocks = new PageBlocks(MAX_BYTES);
  const index = await collectSessions(report, record, blocks);
  const kept = blocks.finish();
  const sessions = index.sessions.map((session) =>
    blocks.dropped.has(session.row.key) ? { ...session, report: null } : session,
  );
  yield pageStart(report, files, { ...index, sessions, run: { ...index.run, leftOut: blocks.dropped.size } });
  for (const { number, text } of kept) yield `<script type="text/plain" id="block-${number}">${text}</script>\n`;
  yield '</body>\n</html>\n';
}

async function collectSessions(
  report: Report,
  record: NonNullable<ReportOptions['record']> | null,
  blocks: PageBlocks,
): Promise<PageIndex> {
  await using reader = new SessionReader(record);
  const gates = gatesBySession(report.gates);
  const found = findingsBySession(report);
  const undecided = report.undecided.map(({ reason }) => reason);
  const correctedShares = correctedShareTexts(report);
  const rows: PageSession[] = [];
  const entries: ReturnType<typeof overviewEntry>[] = [];
  const evaluated: Pick<PanelSession, 'row' | 'detail'>[] = [];
  let transcripts = 0;
  for (const session of report.sessions) {
    const { facts, transcript } = await reader.read(session.id);
    const findings = found.get(session.id) ?? NO_FINDINGS;
    const problems = findings.groups.flatMap(({ title, occurrences }) =>
      occurrences.map((occurrence) => ({ ...occurrence, title })),
    );
    const panel: PanelSession = {
      row: sessionFigures(session, session.id, problems.length),
      file: session.source.file,
      detail: {
        report: session,
        gates: gates(session.id),
        run: report.run,
        found: findings,
        ...(undecided.length === 0 ? {} : { undecided }),
        ...(correctedShares.length === 0 ? {} : { correctedShares }),
        ...(facts ? { facts: { ...facts, ...(transcript && missedCallFacts(transcript)) } } : {}),
      },
    };
    if (transcript) transcripts += 1;
    const place = blocks.session(session.id, isWithoutProblems(session), (store) =>
      storeSession(panel, transcript && new Transcript(transcript), store),
    );
    const entry = overviewEntry(panel, problems);
    const at = panel.file.replaceAll('\\', '/').lastIndexOf('/');
    const row = overviewSession(entry, {
      folder: at < 0 ? null : panel.file.slice(0, at),
      riskLevel: panel.row.riskLevel,
      state: 'fresh',
      isRunning: false,
    });
    rows.push({ row, labels: [...entry.labels], rules: [...entry.rules], report: place });
    entries.push(entry);
    evaluated.push({ row: panel.row, detail: panel.detail });
  }
  const groups = attemptsOfReport(report, groupTasks(evaluated));
  return {
    run: { ...describeRun(report, transcripts), isRecorded: record !== null },
    summary: summarizeOverview(entries, 0, groups.tasks.length),
    scores: overviewScoresOf(evaluated, groups),
    tasks: groups.tasks,
    sessions: rows,
  };
}

function describeRun(report: Report, transcripts: number): Omit<PageRun, 'isRecorded'> {
  const { run, gates, failures, problems, verdict, undecided, alerts = [] } = report;
  const shownGates = gates.filter(({ scope }) => scope !== 'session');
  const groups = sortGroups(failures);
  const listed = problems.toSorted((a, b) => Number(isError(b)) - Number(isError(a)));
  return {
    id: run.id,
    version: report.tool.version,
    verdict,
    undecided: undecided.map(({ reason }) => limitSentence(reason)),
    nothingNew: nothingNewText(report),
    gateCounts: {
      met: gates.filter(({ met }) => met === true).length,
      unmet: gates.filter(({ met }) => met === false).length,
      undecided: gates.filter(({ met }) => met === null).length,
    },
    gates: shownGates.slice(0, MAX_GATES).map(gateRow),
    gatesOmitted: Math.max(0, shownGates.length - MAX_GATES),
    alerts: alerts.map((alert) => limitSentence(alertText(alert))),
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    incomplete: incompleteCause(report),
    judge: run.judge && limitName([run.judge.provider, run.judge.model ?? []].flat().join('/')),
    agentVersion: run.agentVersion === null ? null : limitName(run.agentVersion),
    errors: problems.filter(isError).length,
    problems: listed.slice(0, MAX_PROBLEMS).map(({ severity, message, file, line }) => ({
      severity,
      text: limitSentence(file === '' ? message : `${locationText(file, line)}: ${message}`),
    })),
    problemsOmitted: Math.max(0, problems.length - MAX_PROBLEMS),
    groups: groups.slice(0, MAX_GROUPS).map(describeGroup),
    groupsOmitted: Math.max(0, groups.length - MAX_GROUPS),
    transcripts,
    leftOut: 0,
  };
}

function isError({ severity }: Report['problems'][number]): boolean {
  return severity === 'error';
}

function describeGroup({ title, explanation, severity, occurrences }: FailureGroup): PageProblemGroup {
  return {
    title: limitSentence(title),
    explanation: limitSentence(explanation),
    severity,
    count: occurrences.length,
    sessions: new Set(occurrences.map(({ session }) => session)).size,
    occurrences: occurrences.slice(0, MAX_OCCURRENCES).map(({ session, turn, file, line, reason }) => ({
      session,
      turn,
      location: locationText(file, line),
      reason: limitSentence(reason),
    })),
  };
}

function locationText(file: string, line: number | null): string {
  return line === null ? file : `${file}:${line}`;
}

/** The page up to the blocks. What is not compressed has no text of a trace. */
function pageStart(report: Report, { script, styles }: PageFiles, index: PageIndex): string {
  const title = `${index.run.errors > 0 ? 'error' : report.verdict}: ${pluralize(report.sessions.length, 'session')}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashSource(START)} ${hashSource(script)}`,
    `style-src ${hashSource(styles)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Turnwise: ${sanitizeLine(title)}</title>
<style>${styles}</style>
</head>
<body>
<div id="report"><main class="run-page"><h1>${title}</h1><noscript>This report needs JavaScript.</noscript></main></div>
<script type="text/plain" id="index">${compress(toJson(index))}</script>
<script type="text/plain" id="app">${compress(script)}</script>
<script>${START}</script>
`;
}

/** Starts the app. It is compressed, and runs as an inline script whose hash the policy of the page has. */
const START = `(async()=>{const packed=Uint8Array.from(atob(document.getElementById('app').textContent),(c)=>c.charCodeAt(0));const stream=new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));const script=document.createElement('script');script.textContent=await new Response(stream).text();document.head.append(script)})()`;

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
