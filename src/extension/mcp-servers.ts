import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { agentToolsMode, onAgentToolsMode } from './agent-tools.ts';

const packageFile = z.object({ version: z.string(), bin: z.object({ turnwise: z.string() }) });

/** Offers `turnwise mcp` of the open folders that have Turnwise installed, where the editor's own tools are not used. */
export class McpServers implements vscode.Disposable, vscode.McpServerDefinitionProvider {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registered: vscode.Disposable;

  readonly onDidChangeMcpServerDefinitions = this.#changed.event;

  constructor() {
    const changed = () => this.#changed.fire();
    // Some editors that run extensions of VS Code take no servers from them.
    const offered =
      'registerMcpServerDefinitionProvider' in vscode.lm
        ? [vscode.lm.registerMcpServerDefinitionProvider('turnwise', this)]
        : [];
    this.#registered = vscode.Disposable.from(
      ...offered,
      onAgentToolsMode(changed),
      vscode.workspace.onDidChangeWorkspaceFolders(changed),
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
    );
  }

  /** In a folder that is not trusted, nothing of it is run. */
  async provideMcpServerDefinitions(): Promise<vscode.McpStdioServerDefinition[]> {
    if (agentToolsMode() !== 'mcp' || !vscode.workspace.isTrusted) return [];
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    const found = await Promise.all(folders.map((folder) => installedServer(folder, folders.length > 1)));
    return found.filter((server) => server !== null);
  }

  dispose(): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }
}

/** Started with the editor's Node: that of the user's PATH may be too old. Null where Turnwise is not installed. */
async function installedServer(
  { uri, name }: vscode.WorkspaceFolder,
  isOneOfSeveral: boolean,
): Promise<vscode.McpStdioServerDefinition | null> {
  const home = vscode.Uri.joinPath(uri, 'node_modules', 'turnwise');
  const installed = await readPackage(vscode.Uri.joinPath(home, 'package.json'));
  if (!installed) return null;
  const program = vscode.Uri.joinPath(home, installed.bin.turnwise).fsPath;
  const title = isOneOfSeveral ? `Turnwise (${name})` : 'Turnwise';
  const env = { ELECTRON_RUN_AS_NODE: '1' };
  const server = new vscode.McpStdioServerDefinition(title, process.execPath, [program, 'mcp'], env, installed.version);
  server.cwd = uri;
  return server;
}

async function readPackage(uri: vscode.Uri): Promise<z.infer<typeof packageFile> | null> {
  try {
    const { success, data } = z.safeParse(
      packageFile,
      JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))),
    );
    return success ? data : null;
  } catch {
    // It is not installed, or not readable.
    return null;
  }
}
