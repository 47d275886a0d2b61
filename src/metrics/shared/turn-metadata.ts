import { findSecrets } from '../../core/secrets.ts';
import { agentToolCalls, availableTools, type ToolStep } from '../../core/session.ts';
import { createTextRenderer } from '../../judge/prompting/trace-text.ts';
import type { TurnView } from '../metric.ts';

/** At most so many characters are repeated of a text: metadata go wherever a report goes. */
const MAX_CHARS = { input: 2000, parameters: 500, description: 200 } as const;

const show = createTextRenderer(findSecrets);

/** What the user said, as PandaProbe's metadata name it; without secrets, and in part where it is long. */
export function userInputMetadata({ turn }: TurnView): { readonly user_input: string | null } {
  return { user_input: turn.input === null ? null : show(turn.input, MAX_CHARS.input) };
}

/** The calls of a turn and the tools it had, as PandaProbe's metadata name them; tools are null where they are unknown. */
export function toolsMetadata({ session, turn }: TurnView) {
  const tools = availableTools(session, turn);
  return {
    tools_called: agentToolCalls(turn).map((call) => ({ name: call.name, parameters: shortParameters(call) })),
    available_tools:
      tools?.map(({ name, description }) => ({
        name,
        description: description === undefined ? null : show(description, MAX_CHARS.description),
      })) ?? null,
  };
}

/** As they were given, where they are short and have no secret; else as a text that shows a part of them. */
function shortParameters({ arguments: given }: ToolStep): ToolStep['arguments'] {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const shown = show(text, MAX_CHARS.parameters);
  return shown === text ? given : shown;
}
