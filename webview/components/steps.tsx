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

/** Turns with more steps are folded. */
const MAX_UNFOLDED = 40;
/** The number of steps shown while folded. */
const SHOWN = 20;
/** Estimated height of a step that was never rendered, in pixels. */
const HEIGHT = 32;
const PAGE_SIZE = 100;
/** Browsers limit the height of a page to some million pixels, so longer lists are shown in parts. */
const PART_SIZE = 20_000;

type StepsProps = Readonly<{ turn: number; path: AgentPath; steps: readonly StepRow[]; omitted: number }>;

/** The steps of a turn, in order. */
export function Steps({ turn, path, steps, omitted }: StepsProps) {
  const total = steps.length + omitted;
  const cited = useCitedStep();
  const key = `steps ${stepKey(path, turn, 0)}`;
  const [isOpen, setOpen] = useOpen(key, cited !== null && cited >= SHOWN);
  if (total === 0) return null;
  const isLong = total > MAX_UNFOLDED;
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

/** Keeps the scroll position: scroll anchoring could otherwise jump to the end of the opened list. */
function keepScroll(change: () => void): void {
  const { scrollY } = window;
  flushSync(change);
  window.scrollTo(0, scrollY);
}

/** The first step with chosen evidence or a search match. */
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

/** All steps of a long turn; only visible ones are fetched and rendered. */
function AllSteps({ turn, path, known, total, cited }: AllStepsProps) {
  const { host, session } = useActions();
  const fetchSteps = useCallback(
    async (from: number, count: number, signal: AbortSignal) =>
      (await host.request(stepsRequest, { session, path, turn, from, count }, signal)).rows,
    [host, session, path, turn],
  );
  const { rowAt, failureAt, setVisible } = usePages<StepRow>(PAGE_SIZE, fetchSteps);
  const [chosenPart, setChosenPart] = useState<number | null>(null);
  const part = chosenPart ?? Math.floor((cited ?? 0) / PART_SIZE);
  const first = part * PART_SIZE;
  const size = Math.min(PART_SIZE, total - first);
  const keys = useMemo(() => keysFrom(first, size), [first, size]);
  const parts = Math.ceil(total / PART_SIZE);
  const box = useRef<HTMLDivElement>(null);
  const showNextPart = (): void => {
    flushSync(() => setChosenPart(part + 1));
    box.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <div ref={box}>
      <VirtualList
        key={part}
        keys={keys}
        estimate={HEIGHT}
        role="list"
        rowRole="listitem"
        label={l10n.t('Steps {0} to {1} of {2}', first + 1, first + size, total.toLocaleString('en'))}
        className="steps"
        pinned={cited === null ? undefined : [cited]}
        onShown={setVisible}
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
            <button type="button" className="more" onClick={() => setChosenPart(part - 1)}>
              {l10n.t('Earlier steps')}
            </button>
          ) : null}
          <span className="quiet">{l10n.t('part {0} of {1}', part + 1, parts)}</span>
          {part + 1 < parts ? (
            <button type="button" className="more" onClick={showNextPart}>
              {l10n.t('Later steps')}
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
