import { agentReport } from './agent.ts';
import { ctrfReport } from './ctrf.ts';
import { githubReport } from './github.ts';
import { htmlReport } from './html/html.ts';
import { jsonReport } from './json.ts';
import { jsonlReport } from './jsonl.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import type { ReportWriter } from './report-writer.ts';
import { sarifReport } from './sarif.ts';
import { tableReport } from './table.ts';

/** Every kind of report. The first one is the default. */
export const REPORT_WRITERS: readonly [ReportWriter, ...ReportWriter[]] = [
  tableReport,
  jsonReport,
  jsonlReport,
  junitReport,
  ctrfReport,
  sarifReport,
  markdownReport,
  htmlReport,
  githubReport,
  agentReport,
];
