import * as z from 'zod/mini';
import type { Context } from './context.ts';
import { copyMarkdown } from './report-answers.ts';

/** What a right-click in a report gives: what the page says of the place. */
const clickedIn = z.object({ session: z.string(), turn: z.optional(z.int().check(z.nonnegative())) });

export async function copyTurn(context: Context, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(clickedIn, clicked);
  if (success && data.turn !== undefined) await copyMarkdown(data.session, data.turn, context);
}

export async function copySession(context: Context, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(clickedIn, clicked);
  if (success) await copyMarkdown(data.session, null, context);
}

/** Shows the turn in its file, and lets the cursor go there. */
export async function showTurn({ reports }: Context, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(clickedIn, clicked);
  if (success && data.turn !== undefined) await reports.showTurn(data.session, data.turn);
}
