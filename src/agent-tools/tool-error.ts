/** Something that the agent can do differently, as a sentence. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
