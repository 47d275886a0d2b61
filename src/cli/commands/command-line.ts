import type { Command } from 'commander';
import type { CommandHost } from '../host.ts';

/** What a command is added to. */
export interface CommandLine {
  readonly program: Command;
  readonly host: CommandHost;
  /** Sets the exit code. */
  readonly finish: (code: number) => void;
}
