import { isObject, type JsonObject } from '../core/json.ts';
import type { AgentTool } from './tool.ts';

/** The argument that says which open folder is meant; of an editor alone, since each `turnwise mcp` has one project. */
export const PROJECT_ARG = 'project';

/** The arguments of a tool where several folders can be open. */
export function editorInputSchema({ inputSchema }: AgentTool): JsonObject {
  const { properties } = inputSchema;
  return {
    ...inputSchema,
    properties: {
      ...(isObject(properties) ? properties : {}),
      [PROJECT_ARG]: {
        type: 'string',
        minLength: 1,
        maxLength: 1000,
        description: 'Where several folders are open: the name or the path of the one that is meant.',
      },
    },
  };
}
