import { pluralize } from '../core/text/pluralize.ts';
import { quotedName, wordText } from '../reports/agent-text.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunListing } from '../runs/run-store.ts';
import { NO_RUNS } from './project-runs.ts';
import { defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';

export const listRuns = defineTool({
  name: 'list_runs',
  title: 'List Runs',
  description:
    'Lists the recorded evaluations (runs) of this project, the newest first: verdict, how many sessions failed or passed of how many, problems, commit.',
  args: {},
  async answer(_, { runs }) {
    const listed = await runs.list();
    const ids = listed.map(({ manifest }) => manifest.id);
    return {
      head: `${pluralize(listed.length, 'run')} of this project, the newest first.`,
      items: listed.map((run) => () => runText(run)),
      nothing: NO_RUNS,
      key: [],
      again: {},
      // Runs are added at the beginning while an agent reads on.
      cursor: {
        after: (position) => ids[position] ?? '',
        find(cursor) {
          const at = ids.indexOf(cursor);
          if (at >= 0 && at < ids.length - 1) return at + 1;
          throw new ToolError(
            'This cursor belongs to another call, or its run was deleted. Leave it out to begin again.',
          );
        },
      },
    };
  },
});

function runText({ manifest, isBaseline, isLive, isGone }: RunListing): string {
  const { id, name, startedAt, state, totals, judge, agent, git } = manifest;
  const verdict = state === 'complete' ? (totals?.verdict ?? 'complete') : isLive ? 'running' : state;
  const about = [
    judge ? wordText(`${judge.provider}/${judge.model}`) : 'rules only',
    ...(name === undefined ? [] : [`name ${quotedName(name)}`]),
    ...(agent.version === null || agent.versionFrom === 'git' ? [] : [`agent version ${quotedName(agent.version)}`]),
    ...(git ? [gitText(git)] : []),
    ...(isBaseline ? ['baseline'] : []),
    ...(isGone ? ['recorded elsewhere, and not there any more'] : []),
  ];
  const time = /^[\d:T.Z-]{1,30}$/.test(startedAt) ? startedAt.slice(0, 16).replace('T', ' ') : '';
  return `run ${shortRunId(id)}, ${time} UTC: ${verdict}. ${totals ? totalsText(totals) : 'No totals yet'}. ${about.join(', ')}.`;
}

function totalsText({ sessions, turns, verdicts, problems }: NonNullable<RunListing['manifest']['totals']>): string {
  const counts = (['critical', 'high', 'medium', 'low'] as const).flatMap((severity) =>
    problems[severity] ? [`${problems[severity]} ${severity}`] : [],
  );
  const found = counts.length === 0 ? 'no problems' : `problems: ${counts.join(', ')}`;
  const of = pluralize(sessions, 'session');
  return `${verdicts.failed} failed, ${verdicts.undecided} undecided, ${verdicts.passed} passed of ${of} (${pluralize(turns, 'turn')}); ${found}`;
}

function gitText({ commit, branch, dirty }: NonNullable<RunListing['manifest']['git']>): string {
  return `commit ${wordText(commit.slice(0, 8))}${branch === null ? '' : ` on ${quotedName(branch)}`}${dirty ? ' with uncommitted changes' : ''}`;
}
