import { createContext, useContext } from 'react';
import type { OpinionOf } from '../../src/protocol/panel.ts';
import type { Evidence, Target } from '../../src/protocol/report-values.ts';
import type { Host } from '../host.ts';

/** What a person's thumb says, and perhaps why. */
export interface NewOpinion {
  readonly value: 'up' | 'down';
  readonly note: string | null;
}

/** What can be done from anywhere in a report. The same object for as long as the session is the same. */
export interface Actions {
  readonly host: Host;
  readonly session: string;
  /** Shows a value in its file; with `focus` the cursor goes there too. */
  readonly reveal: (target: Target, focus: boolean) => void;
  /** Marks what is cited in the transcript of a turn; by the id of what cites it. */
  readonly choose: (turn: number, id: string, evidence: readonly Evidence[]) => void;
  /** Selects a turn and brings it into sight, whatever tab is open. */
  readonly goTo: (turn: number) => void;
  readonly copy: (turn: number | null) => void;
  readonly openRule: (rule: string) => void;
  /** Null takes it back. */
  readonly giveOpinion: (turn: number | null, of: OpinionOf, opinion: NewOpinion | null) => void;
  readonly showPrompt: (turn: number | null, metric: string) => void;
  /** Says something to those who do not see the page. */
  readonly announce: (sentence: string) => void;
}

export const ActionsContext = createContext<Actions | null>(null);

export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error('This is used within a report.');
  return actions;
}
