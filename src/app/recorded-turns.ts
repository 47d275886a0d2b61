import { redactSecrets } from '../core/secrets.ts';
import type { Session } from '../core/session.ts';
import type { TracePlace } from '../core/session-outcome.ts';
import { truncate } from '../core/text/truncate.ts';
import { placesLookup } from '../engine/locations.ts';
import type { RunRecord } from '../runs/run-store.ts';

/** Characters of a user's message that a report can show: more than a line of any terminal. */
const MAX_USER_MESSAGE = 2000;

/** What a list of turns shows beside the report: the messages of the user, if the run has transcripts, and the lines of evidence. */
export async function readRecordedTurns(record: Pick<RunRecord, 'transcribedSessions'>) {
  const userMessages = new Map<string, readonly (string | null)[]>();
  const places: TracePlace[] = [];
  for await (const { outcome, transcript } of record.transcribedSessions()) {
    places.push(...(outcome.places ?? []));
    if (transcript) userMessages.set(outcome.id, messagesOf(transcript));
  }
  return { userMessages, locator: { locate: placesLookup([{ places }]) } };
}

function messagesOf({ turns }: Session): readonly (string | null)[] {
  return turns.map(
    ({ input }) => input && truncate(redactSecrets(input.slice(0, 2 * MAX_USER_MESSAGE)), MAX_USER_MESSAGE),
  );
}
