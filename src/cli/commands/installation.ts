import type { CacheArguments } from '../cache.ts';
import type { LspArguments } from '../lsp.ts';
import type { McpArguments } from '../mcp.ts';
import type { TrustArguments } from '../trust.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumberFrom } from './option-parsers.ts';

export function addCache({ program, host, finish }: CommandLine): void {
  program
    .command('cache')
    .summary('show or delete cached answers of models')
    .description('Prints the location, number and size of the cached answers of models.')
    .option('--prune', 'delete answers that were not used for 90 days, and those beyond 500 MB')
    .option('--older-than <days>', 'with --prune: delete answers that were not used for this long, such as 30d')
    .option('--clear', 'delete all cached answers')
    .addHelpText('after', CACHE_EXAMPLES)
    .action(async (args: CacheArguments) => {
      const { cacheCommand } = await import('../cache.ts');
      finish(await cacheCommand(args, host));
    });
}

export function addTrust({ program, host, finish }: CommandLine): void {
  program
    .command('trust')
    .summary('list, add or revoke the hosts that may get traces')
    .description(
      'Lists the hosts that may get text of traces. With hosts: configurations may send them traces and the key in TURNWISE_API_KEY. Hosts on this machine, those of --judge-url and --embedder-url, and OpenAI with OPENAI_API_KEY are always allowed.',
    )
    .argument('[host...]', 'hosts, such as llm.example.com or http://10.0.0.5:8000')
    .option('--revoke', 'remove the hosts, and what editors stored about them')
    .addHelpText('after', TRUST_EXAMPLES)
    .action(async (hosts: string[], args: TrustArguments) => {
      const { trustCommand } = await import('../trust.ts');
      finish(await trustCommand(hosts, args, host));
    });
}

export function addInit({ program, host, finish }: CommandLine): void {
  program
    .command('init')
    .summary('create a commented configuration file')
    .description('Creates turnwise.config.yaml in this folder, with the most common keys and their defaults.')
    .option('--agents', 'instead, write a skill file that tells coding agents how to evaluate, fix and evaluate again')
    .option('--force', 'replace an existing file')
    .addHelpText('after', INIT_EXAMPLES)
    .action(async ({ agents, ...args }: { agents?: true; force?: true }) => {
      if (agents) {
        const { initAgents } = await import('../init-agents.ts');
        finish(await initAgents(args, host));
        return;
      }
      const { initCommand } = await import('../init.ts');
      finish(await initCommand(args, host));
    });
}

export function addLsp({ program, host, finish }: CommandLine): void {
  program
    .command('lsp')
    .summary('start the language server')
    .description('Starts the language server, for editors that support the Language Server Protocol.')
    .option('--stdio', 'communicate over standard input and output')
    .option('--clientProcessId <id>', 'exit when this process exits', wholeNumberFrom(1))
    .addHelpText('after', LSP_EXAMPLES)
    .action(async (args: LspArguments) => {
      const { lspCommand } = await import('../lsp.ts');
      finish(await lspCommand(args, host));
    });
}

export function addMcp({ program, host, finish }: CommandLine): void {
  program
    .command('mcp')
    .summary('serve tools for coding agents')
    .description(
      'Serves tools for coding agents over the Model Context Protocol, on standard input and output: the runs of this project, what failed and where, and evaluations by rules. It reads this project only, and records nothing.',
    )
    .option('--project <folder>', 'the project (default: that of this folder)')
    .addHelpText('after', MCP_EXAMPLES)
    .action(async (args: McpArguments) => {
      const { mcpCommand } = await import('../mcp.ts');
      finish(await mcpCommand(args, host));
    });
}

const CACHE_EXAMPLES = `
Examples:
  turnwise cache
  turnwise cache --prune --older-than 30d
  turnwise cache --clear`;

const TRUST_EXAMPLES = `
Examples:
  turnwise trust
  turnwise trust llm.example.com
  turnwise trust --revoke llm.example.com

TURNWISE_TRUSTED_HOSTS lists hosts for one environment, such as a CI job.`;

const INIT_EXAMPLES = `
Examples:
  turnwise init
  turnwise init --agents
  turnwise init --force`;

const LSP_EXAMPLES = `
Examples:
  turnwise lsp --stdio

docs/editors.md has the settings for Neovim, Helix, Emacs and other editors.`;

const MCP_EXAMPLES = `
Examples:
  claude mcp add turnwise -- npx turnwise mcp
  codex mcp add turnwise -- npx turnwise mcp

docs/agents.md has the lines for other agents. A coding agent starts this command; it waits for one at a terminal.`;
