import * as z from 'zod/mini';
import type { CommandContext } from './command-context.ts';
import { copyMarkdown } from './panel-requests.ts';

/** The context of a right-click in a report. */
const clickedTurn = z.object({ session: z.string(), turn: z.optional(z.int().check(z.nonnegative())) });

export async function copyTurn(context: CommandContext, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(clickedTurn, clicked);
  if (success && data.turn !== undefined) await copyMarkdown({ session: data.session, turn: data.turn }, context);
}

export async function copySession(context: CommandContext, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(clickedTurn, clicked);
  if (success) await copyMarkdown({ session: data.session, turn: null }, context);
}

/** Shows the turn in its file and moves the cursor there. */
export async function showTurn({ reports }: CommandContext, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(clickedTurn, clicked);
  if (success && data.turn !== undefined) await reports.showTurn(data.session, data.turn);
}
