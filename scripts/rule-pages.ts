/** The pages of the rules, from the rules themselves. `npm run docs` writes them; a test sees to it that they are true. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOptions } from '../src/cli/option-listing.ts';
import { RULES } from '../src/rules/index.ts';
import type { Rule } from '../src/rules/rule.ts';

/** By file name, the pages and their table of contents. */
export function rulePages(): ReadonlyMap<string, string> {
  return new Map([['README.md', contents()], ...RULES.map((rule) => [`${rule.id}.md`, page(rule)] as const)]);
}

const GENERATED = '<!-- Written by `npm run docs` from src/rules: change it there. -->';

function contents(): string {
  const rows = RULES.map(
    ({ id, title, severity, label }) => `| [${id}](${id}.md) | ${title} | ${severity} | ${label ?? ''} |`,
  );
  return `${GENERATED}

# Rules

What a trace proves without a model. Every finding names the places that prove it; \`info\` marks an observation, which is
worth knowing and no failure. How sessions fared in which a rule spoke, and what is known of its precision, is in
[validity](../validity.md).

| rule | finds | severity | failure label |
|---|---|---|---|
${rows.join('\n')}

## Levels

A rule is switched off, or given another level, in the [configuration](../configuration.md):

\`\`\`yaml
rules:
  repeated-call: off
  no-answer: high
  latency-outlier: { level: low, ratio: 20 } # with options of its own
\`\`\`

## Accepting one finding

A finding that is right and wanted is accepted, with a reason, in the sidecar file beside the trace
(\`support.trace.json\` has \`support.turnwise.json\`): for one turn, counted from 0, or for the whole session. It is then shown as accepted;
it neither counts nor is it lost.

\`\`\`json
{ "turns": [{ "index": 3, "suppressions": [{ "rule": "repeated-call", "reason": "polling is wanted here" }] }] }
\`\`\`
`;
}

function page({ id, title, proves, severity, label, affects: moves, page: text, options }: Rule): string {
  const facts = [
    severity === 'info' ? 'an observation (`info`), and no failure' : `severity \`${severity}\``,
    label === null ? '' : `failure label "${label}"`,
    moves.length === 0 ? '' : `moves ${moves.map((score) => `\`${score}\``).join(', ')} where no model is asked`,
  ].filter((fact) => fact !== '');
  return `${GENERATED}

# ${title}

\`${id}\` · ${facts.join(' · ')}

${proves}

## When it speaks

${text.how}

## Where it is silent

${text.silent}

## What to do

${text.remedy}

## Configure

\`\`\`yaml
rules:
  ${id}: off # or info, low, medium, high, critical
\`\`\`

A level that is configured holds for every finding of the rule; without one, findings may weigh more or less than
\`${severity}\`, as is said above.
${optionTable(options)}
[Accept one finding](README.md#accepting-one-finding) · [what is known of it](../validity.md) · [all rules](README.md)
`;
}

function optionTable(options: Rule['options']): string {
  const rows = describeOptions(options).map(({ key, type: what }) => `| \`${key}\` | ${what.replaceAll('|', '\\|')} |`);
  return rows.length === 0 ? '' : `\n| option | |\n|---|---|\n${rows.join('\n')}\n`;
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '..', 'docs', 'rules');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of rulePages()) await writeFile(join(folder, name), text);
}
