import { findSecrets } from '../../core/secrets.ts';
import { agentToolCalls, availableTools, type ToolStep } from '../../core/session.ts';
import { createTextRenderer } from '../../judge/prompting/trace-text.ts';
import type { TurnView } from '../metric.ts';

/** Texts in metadata are cut, since metadata are part of every report. */
const MAX_CHARS = { input: 2000, parameters: 500, description: 200 } as const;

const show = createTextRenderer(findSecrets);

/** The user's input under PandaProbe's name; redacted, and cut if it is long. */
export function userInputMetadata({ turn }: TurnView): { readonly user_input: string | null } {
  return { user_input: turn.input === null ? null : show(turn.input, MAX_CHARS.input) };
}

/** The calls of a turn and its available tools, under PandaProbe's names; tools are null if unknown. */
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

/** The arguments; as a cut text if they are long or contain a secret. */
function shortParameters({ arguments: args }: ToolStep): ToolStep['arguments'] {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const shortened = show(text, MAX_CHARS.parameters);
  return shortened === text ? args : shortened;
}
