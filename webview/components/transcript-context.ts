import { type ComponentType, createContext } from 'react';
import type { AgentPath } from '../../src/protocol/report-values.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';

/** The component for a turn's transcript, as a context: sub-agents render it recursively without an import cycle. */
export const TranscriptContext = createContext<ComponentType<Readonly<{ row: TurnRow; path: AgentPath }>> | null>(null);
