import * as l10n from '@vscode/l10n';
import { useCallback, useContext, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { AgentPath } from '../../src/protocol/report-values.ts';
import { type StepRow, steps as stepsRequest } from '../../src/protocol/turn-rows.ts';
import { CitationsContext } from '../citations.ts';
import { formatCount } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { usePages } from '../hooks/use-pages.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { stepKey } from '../step-key.ts';
import { StepItem } from './step.tsx';
import { VirtualList } from './virtual-list.tsx';

/** More steps than this are folded; so many of them are shown nonetheless. */
const FOLDED = 40;
const SHOWN = 20;
/** The height of a step that was never seen. */
const HEIGHT = 32;
const PAGE = 100;
/** A page in a browser is not higher than some millions of pixels: a longer list is shown in parts. */
const PART = 20_000;

type StepsProps = Readonly<{ turn: number; path: AgentPath; steps: readonly StepRow[]; omitted: number }>;

/** What the agent thought, said and used in a turn, in order. */
export function Steps({ turn, path, steps, omitted }: StepsProps) {
  const total = steps.length + omitted;
  const cited = useCitedStep();
  const key = `steps ${stepKey(path, turn, 0)}`;
  const [isOpen, setOpen] = useOpen(key, cited !== null && cited >= SHOWN);
  if (total === 0) return null;
  const isLong = total > FOLDED;
  return (
    <>
      {isLong && isOpen ? (
        <AllSteps turn={turn} path={path} known={steps} total={total} cited={cited} />
      ) : (
        <ul className="steps" aria-label={l10n.t('Steps')}>
          {steps.slice(0, isLong ? SHOWN : steps.length).map((step) => (
            <li key={step.index}>
              <StepItem step={step} turn={turn} path={path} />
            </li>
          ))}
        </ul>
      )}
      {isLong ? (
        <button
          type="button"
          className="more"
          aria-expanded={isOpen}
          onClick={() => keepScroll(() => setOpen(!isOpen))}
        >
          {isOpen ? l10n.t('Show First Steps Only') : l10n.t('Show {0}', formatCount(total - SHOWN, 'more step'))}
        </button>
      ) : null}
    </>
  );
}

/** What is below the steps must not be what the browser keeps in its place: that would be at the end of all of them. */
function keepScroll(change: () => void): void {
  const { scrollY } = window;
  flushSync(change);
  window.scrollTo(0, scrollY);
}

/** The first step that the person looks at the evidence of. */
function useCitedStep(): number | null {
  const citations = useContext(CitationsContext);
  for (const [key, ranges] of citations) {
    const step = Number.parseInt(key, 10);
    if (!Number.isNaN(step) && ranges.some(({ kind }) => kind !== 'cited')) return step;
  }
  return null;
}

type AllStepsProps = Readonly<{
  turn: number;
  path: AgentPath;
  known: readonly StepRow[];
  total: number;
  cited: number | null;
}>;

/** All steps of a long turn, of which those in sight are fetched and drawn. */
function AllSteps({ turn, path, known, total, cited }: AllStepsProps) {
  const { host, session } = useActions();
  const fetchSteps = useCallback(
    async (from: number, count: number, signal: AbortSignal) =>
      (await host.request(stepsRequest, { session, path, turn, from, count }, signal)).rows,
    [host, session, path, turn],
  );
  const { rowAt, failureAt, setVisible: want } = usePages<StepRow>(PAGE, fetchSteps);
  const [asked, setAsked] = useState<number | null>(null);
  const part = asked ?? Math.floor((cited ?? 0) / PART);
  const first = part * PART;
  const size = Math.min(PART, total - first);
  const keys = useMemo(() => keysFrom(first, size), [first, size]);
  const parts = Math.ceil(total / PART);
  const box = useRef<HTMLDivElement>(null);
  const later = (): void => {
    flushSync(() => setAsked(part + 1));
    box.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <div ref={box}>
      <VirtualList
        key={part}
        keys={keys}
        guess={HEIGHT}
        role="list"
        rowRole="listitem"
        label={l10n.t('Steps {0} to {1} of {2}', first + 1, first + size, total.toLocaleString('en'))}
        className="steps"
        pinned={cited === null ? undefined : [cited]}
        onShown={want}
      >
        {(step) => {
          const row = known[step] ?? rowAt(step);
          if (row) return <StepItem step={row} turn={turn} path={path} />;
          return <p className="quiet placeholder">{failureAt(step) ?? l10n.t('step {0}', step + 1)}</p>;
        }}
      </VirtualList>
      {parts > 1 ? (
        <p className="parts">
          {part > 0 ? (
            <button type="button" className="more" onClick={() => setAsked(part - 1)}>
              Earlier steps
            </button>
          ) : null}
          <span className="quiet">
            part {part + 1} of {parts}
          </span>
          {part + 1 < parts ? (
            <button type="button" className="more" onClick={later}>
              Later steps
            </button>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}

function keysFrom(first: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => first + index);
}
