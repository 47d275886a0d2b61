import { useCallback, useContext, useMemo } from 'react';
import type { Path } from '../../src/protocol/report-values.ts';
import { type AgentStepRow, type TurnRow, turns as turnsRequest } from '../../src/protocol/turn-rows.ts';
import { useActions } from '../hooks/use-actions.ts';
import { usePages } from '../hooks/use-pages.ts';
import { stepKey } from '../step-key.ts';
import { counted, duration } from '../words.ts';
import { TranscriptContext } from './nested.ts';
import { Opener } from './opener.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { VirtualList } from './virtual-list.tsx';

/** A sub-agent that did no more than this is open from the start, unless it is within another. */
const SHORT = 3;
const PAGE = 10;
/** The height of a turn that was never seen. */
const HEIGHT = 160;

type SubAgentProps = Readonly<{ step: AgentStepRow; turn: number; path: Path }>;

/** Another agent that this one has called; what it did stands within. */
export function SubAgent({ step, turn, path }: SubAgentProps) {
  const { index, name, turns, calls, durationMs, target } = step;
  const isShort = turns === 1 && calls <= SHORT && path.length === 0;
  return (
    <Opener
      id={`${stepKey(path, turn, index)} agent`}
      name={
        <code className="name">
          <PlainText text={name} />
        </code>
      }
      about={
        <>
          <span className="quiet">
            sub-agent · {counted(turns, 'turn')} · {counted(calls, 'call')}
          </span>
          {durationMs === null ? null : <span className="quiet time">{duration(durationMs)}</span>}
        </>
      }
      isOpenAtFirst={isShort}
      cites={[index, null]}
    >
      <Turns step={step} turn={turn} path={path} />
      <RevealButton target={target} className="more">
        Show it in the JSON
      </RevealButton>
    </Opener>
  );
}

function Turns({ step: { index, name, turns }, turn, path }: SubAgentProps) {
  const { host, session } = useActions();
  const Transcript = useContext(TranscriptContext);
  const within = useMemo(() => [...path, { turn, step: index }], [path, turn, index]);
  const fetchTurns = useCallback(
    async (from: number, count: number, signal: AbortSignal) =>
      (await host.ask(turnsRequest, { session, path: within, from, count }, signal)).rows,
    [host, session, within],
  );
  const { rowAt, failureAt, want } = usePages<TurnRow>(PAGE, fetchTurns);
  const keys = useMemo(() => Array.from({ length: turns }, (_, key) => key), [turns]);
  return (
    <VirtualList
      keys={keys}
      guess={HEIGHT}
      role="list"
      rowRole="listitem"
      label={`Turns of the sub-agent ${name}`}
      className="nested"
      onShown={want}
    >
      {(key) => {
        const row = rowAt(key);
        return row && Transcript ? (
          <Transcript row={row} path={within} />
        ) : (
          <p className="quiet">{failureAt(key) ?? 'Loading …'}</p>
        );
      }}
    </VirtualList>
  );
}
