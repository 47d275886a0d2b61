import type { SessionEnding, Turn } from '../../core/session.ts';
import type { FindingLevel } from '../../core/severity.ts';
import type { Rule } from '../rule.ts';
import { quoteText } from '../shared/message-format.ts';

export const stoppedEarly: Rule = {
  id: 'stopped-early',
  title: 'Run stopped early',
  proves: 'According to the trace, the run was ended by a limit or an error, not by the agent or the user.',
  severity: 'low',
  label: null,
  affects: [],
  page: {
    how: 'Reads how the run ended, where the trace says so: `termination_reason` of tau2-bench, `exit_status` of SWE-agent and mini-swe-agent, `limit` and `error` of Inspect AI, `error` of OpenHands, tau-bench, TapeAgents and Agentest, `error` beside chat messages (AgentDojo), the `result` line of Claude Code, `stop_reason` of AutoGen, and `ending` of [Turnwise’s own format](../session-file.md). An error of the agent, such as unusable output or too many failed calls, is a finding of severity high; a limit of steps, time, tokens or costs is one of severity low, since the agent may have been getting on well; any other error or unknown reason is an observation (`info`), since it may not be the agent’s, and so is any end of a run in which the agent did nothing. A session without any turn can have this finding.',
    silent:
      'Ignores the end of a single model call, such as a limit of output tokens, which is reported as `truncated-answer`. Ignores traces that do not say how they ended. A run that was stopped at its limit but submitted its work, as by SWE-agent, counts as ended regularly.',
    remedy:
      'For a limit, see whether the agent made progress or went in circles; raise the limit in the first case only. For an error of the agent, read the last model call: often its output had neither text nor a valid tool call.',
  },
  check({ session }) {
    const { ending, turns } = session;
    if (!ending || ending.cause === 'regular') return [];
    const { pointer = session.source.pointer } = ending;
    return [
      {
        turn: Math.max(0, turns.length - 1),
        severity: turns.some(hasWork) ? SEVERITY_OF[ending.cause] : 'info',
        message: describe(ending, ending.cause),
        evidence: [{ pointer, note: 'how the run ended' }],
      },
    ];
  },
};

type EarlyCause = Exclude<SessionEnding['cause'], 'regular'>;

const SEVERITY_OF = {
  limit: 'low',
  'agent-error': 'high',
  error: 'info',
  unknown: 'info',
} as const satisfies Record<EarlyCause, FindingLevel>;

/** Whether the agent did anything, by which its error could be told from one of the program that ran it. */
function hasWork({ steps, output }: Turn): boolean {
  return steps.length > 0 || (output !== null && output.trim() !== '');
}

function describe({ reason }: SessionEnding, cause: EarlyCause): string {
  const quoted = quoteText(reason);
  switch (cause) {
    case 'limit':
      return `The run reached a limit (${quoted}) before the agent or the user ended it.`;
    case 'agent-error':
      return `The run was ended by an error of the agent (${quoted}).`;
    case 'error':
      return `The run was ended by an error (${quoted}), which may not be the agent's.`;
    case 'unknown':
      return `The run ended with the status ${quoted}, which may not be a regular end.`;
  }
}
