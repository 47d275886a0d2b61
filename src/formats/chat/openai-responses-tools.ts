import { get, getArray, getString } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';
import { toolsOf } from '../tools.ts';

/**
 * The tool catalogue of requests and responses: functions, the provider's tools under the names of their calls, and
 * tools of MCP servers, which are listed by an item or only known by their calls. Undefined if no request lists tools.
 *
 * @param lists the `tools` of the requests and responses of one conversation.
 */
export function responsesTools(lists: readonly unknown[], items: Iterable<unknown>): Tool[] | undefined {
  if (!lists.some(Array.isArray)) return undefined;
  const byName = new Map<string, Tool>();
  const add = (tools: readonly Tool[]) => {
    for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  };
  for (const list of lists) {
    for (const entry of Array.isArray(list) ? list : []) {
      const grouped = get(entry, 'type') === 'namespace' ? toolsOf(get(entry, 'tools')) : undefined;
      add(grouped ?? toolsOf([entry]) ?? []);
      add(providerTools(entry));
    }
  }
  for (const item of items) {
    const type = getString(item, 'type') ?? '';
    if (type === 'mcp_list_tools' || type === 'tool_search_output') add(toolsOf(getArray(item, 'tools')) ?? []);
    const name = getString(item, 'name');
    if (name && /^(?:mcp_call|mcp_approval_request|hosted_tool_call)$/.test(type)) add([{ name }]);
  }
  return [...byName.values()];
}

/** `web_search_preview` is called by `web_search_call`, and `computer_use_preview` by `computer_call`. */
const PROVIDER_TOOL =
  /^(web_search|file_search|code_interpreter|image_generation|computer|local_shell|shell|apply_patch|tool_search)/;

function providerTools(entry: unknown): Tool[] {
  const [, name] = PROVIDER_TOOL.exec(getString(entry, 'type') ?? '') ?? [];
  return name === undefined ? [] : [{ name }];
}
