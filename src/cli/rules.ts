import { didYouMean } from '../config/suggest.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { padEnd, wrap } from '../reports/terminal-text.ts';
import { findRule, RULES } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import type { CommandHost } from './host.ts';
import { optionLines } from './option-listing.ts';
import { writeStdout } from './output-file.ts';
import { UsageError } from './usage-error.ts';

/** `turnwise rules`. @returns the exit code. @throws UsageError */
export async function rulesCommand(id: string | undefined, host: CommandHost): Promise<number> {
  await writeStdout(id === undefined ? listLines() : pageLines(requireRule(id), host.stdout.columns), host);
  return EXIT_CODES.passed;
}

function requireRule(id: string): Rule {
  const rule = findRule(id);
  if (rule) return rule;
  const ids = RULES.map((rule) => rule.id);
  throw new UsageError(`There is no rule "${id}".${didYouMean(id, ids)} \`turnwise rules\` lists them.`);
}

function* listLines(): Generator<string> {
  const ids = Math.max(...RULES.map(({ id }) => id.length));
  yield `${padEnd('rule', ids)}  severity  finds\n`;
  for (const { id, severity, title } of RULES) yield `${padEnd(id, ids)}  ${padEnd(severity, 8)}  ${title}\n`;
  yield '\ninfo: an observation, not a failure. `turnwise rules ID` explains a rule.\n';
}

function* pageLines(rule: Rule, columns: number): Generator<string> {
  const { id, title, proves, severity, label, affects, page, options } = rule;
  const text = function* (heading: string, value: string): Generator<string> {
    const lines = value.split('\n').flatMap((paragraph) => wrap(paragraph, Math.max(40, columns - 12)));
    for (const [index, line] of lines.entries()) yield `  ${padEnd(index === 0 ? heading : '', 10)}${line}\n`;
  };
  yield `${id}\n`;
  yield* text('', `${title}. ${proves}`);
  yield '\n';
  yield* text('severity', severity === 'info' ? 'info: an observation, not a failure' : severity);
  if (label !== null) yield* text('label', label);
  if (affects.length > 0) yield* text('affects', affects.join(', '));
  yield* text('how', page.how);
  yield* text('silent', page.silent);
  yield* text('remedy', page.remedy);
  yield* optionLines(options, `rules.${id}`);
  yield `\nTo change the level: "rules": { "${id}": "off" | "info" | "low" | "medium" | "high" | "critical" }\n`;
}
