import * as l10n from '@vscode/l10n';
import { useCallback, useContext, useMemo } from 'react';
import type { AgentPath } from '../../src/protocol/report-values.ts';
import { type AgentStepRow, type TurnRow, turns as turnsRequest } from '../../src/protocol/turn-rows.ts';
import { formatCount, formatDuration } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { usePages } from '../hooks/use-pages.ts';
import { stepKey } from '../step-key.ts';
import { ToggleSection } from './disclosure.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { TranscriptContext } from './transcript-context.ts';
import { VirtualList } from './virtual-list.tsx';

/** A top-level sub-agent with one turn and at most this many calls is open initially. */
const MAX_OPEN_CALLS = 3;
const PAGE_SIZE = 10;
/** Estimated height of a turn that was never rendered, in pixels. */
const HEIGHT = 160;

type SubAgentProps = Readonly<{ step: AgentStepRow; turn: number; path: AgentPath }>;

/** A sub-agent and its turns. */
export function SubAgent({ step, turn, path }: SubAgentProps) {
  const { index, name, turns, calls, durationMs, target } = step;
  const isShort = turns === 1 && calls <= MAX_OPEN_CALLS && path.length === 0;
  const { host } = useActions();
  return (
    <ToggleSection
      id={`${stepKey(path, turn, index)} agent`}
      name={
        <code className="name">
          <PlainText text={name} />
        </code>
      }
      about={
        <>
          <span className="quiet">
            {[l10n.t('sub-agent'), formatCount(turns, 'turn'), formatCount(calls, 'call')].join(' · ')}
          </span>
          {durationMs === null ? null : <span className="quiet time">{formatDuration(durationMs)}</span>}
        </>
      }
      isOpenInitially={isShort}
      cites={[index, null]}
    >
      <Turns step={step} turn={turn} path={path} />
      <RevealButton target={target} className="more">
        {host.surface === 'editor' ? l10n.t('Show in JSON') : l10n.t('Copy Location')}
      </RevealButton>
    </ToggleSection>
  );
}

function Turns({ step: { index, name, turns }, turn, path }: SubAgentProps) {
  const { host, session } = useActions();
  const Transcript = useContext(TranscriptContext);
  const within = useMemo(() => [...path, { turn, step: index }], [path, turn, index]);
  const fetchTurns = useCallback(
    async (from: number, count: number, signal: AbortSignal) =>
      (await host.request(turnsRequest, { session, path: within, from, count }, signal)).rows,
    [host, session, within],
  );
  const { rowAt, failureAt, setVisible } = usePages<TurnRow>(PAGE_SIZE, fetchTurns);
  const keys = useMemo(() => Array.from({ length: turns }, (_, key) => key), [turns]);
  return (
    <VirtualList
      keys={keys}
      estimate={HEIGHT}
      role="list"
      rowRole="listitem"
      label={l10n.t('Turns of sub-agent {0}', name)}
      className="nested"
      onShown={setVisible}
    >
      {(key) => {
        const row = rowAt(key);
        return row && Transcript ? (
          <Transcript row={row} path={within} />
        ) : (
          <p className="quiet">{failureAt(key) ?? l10n.t('Loading…')}</p>
        );
      }}
    </VirtualList>
  );
}
