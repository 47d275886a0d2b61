import { ToolError } from '../../agent-tools/tool-error.ts';
import { agentToolCost, callAgentTool } from '../../protocol/agent-tools.ts';
import { onRequest } from '../../protocol/rpc.ts';
import { describeLoss, WorkerLostError } from '../../workers/worker-loss.ts';
import { toAbortSignal } from '../abort-signal.ts';
import type { Feature } from '../context.ts';
import { chooseProject } from './choose-project.ts';
import type { AgentToolQuery } from './tool-calls.ts';

/** Answers the requests of coding agents, which read this window's projects and no others. */
export const agentToolRequests: Feature = ({ connection, agentTools, settings, folders, files }) => {
  if (!agentTools) return {};
  let evaluations = 0;
  const toQuery = async ({ tool, input, agreedCalls }: Omit<AgentToolQuery, 'project' | 'evaluations'>) => {
    if (!settings().trusted) throw new ToolError(UNTRUSTED);
    return { tool, agreedCalls, evaluations, ...(await chooseProject(input, folders, files)) };
  };
  onRequest(connection, callAgentTool, async (call, token) => {
    using stop = toAbortSignal(token);
    try {
      const answered = await agentTools.call(await toQuery(call), stop.signal);
      evaluations = Math.max(evaluations, answered.evaluations);
      return { text: answered.text, isError: answered.isError };
    } catch (error) {
      return { text: failureText(error), isError: true };
    }
  });
  onRequest(connection, agentToolCost, async ({ input }, token) => {
    using stop = toAbortSignal(token);
    try {
      const query = await toQuery({ tool: 'evaluate_trace', input, agreedCalls: null });
      return { cost: await agentTools.cost(query, stop.signal) };
    } catch {
      // The call says what is wrong.
      return { cost: null };
    }
  });
  return {};
};

const UNTRUSTED =
  'This folder is not trusted, so agents get no answers about it. The user can trust it in VS Code ("Workspaces: Manage Workspace Trust").';

/** @throws the error, where it says nothing to an agent */
function failureText(error: unknown): string {
  if (error instanceof ToolError) return error.message;
  if (error instanceof WorkerLostError) return `Turnwise could not answer: ${describeLoss(error.loss)}.`;
  throw error;
}
