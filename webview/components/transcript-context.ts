import { type ComponentType, createContext } from 'react';
import type { AgentPath } from '../../src/protocol/report-values.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';

/**
 * What shows the turns of a sub-agent: the same that shows those of the session, handed down to where it is needed
 * again.
 */
export const TranscriptContext = createContext<ComponentType<Readonly<{ row: TurnRow; path: AgentPath }>> | null>(null);
