import { useCallback, useEffect, useRef, useState } from 'react';
import * as z from 'zod/mini';
import type { Label } from '../../src/core/judge-labels.ts';
import {
  type JudgedAnswer,
  type LabelState,
  labelsOf,
  type NextResult,
  nextResult,
  type ResultToLabel,
  setLabel,
  storeCalibration,
} from '../../src/protocol/labels.ts';
import type { RunsScope } from '../../src/protocol/runs.ts';
import { messageOf } from '../hooks/use-report.ts';
import type { RunsHost } from '../host.ts';

export type LabelScope = Extract<RunsScope, { readonly show: 'labels' }>;

/** A result that was just labelled, and what the judge said of it. */
export interface LabelledResult {
  readonly result: ResultToLabel;
  readonly label: Label;
  readonly note: string;
  readonly judged: JudgedAnswer;
}

/** What the last action did, where the page does not show it by itself. */
export type LabelNotice = 'taken-back' | 'unskipped';

/** What was done last: a label, or a result that was skipped. */
interface LabelStep {
  readonly id: string;
  readonly isLabel: boolean;
}

export interface Labelling {
  /** Null until it is loaded. */
  readonly state: LabelState | null;
  readonly next: NextResult | null;
  /** Shown until the user goes on; null: `next` is to be labelled. */
  readonly given: LabelledResult | null;
  /** Why nothing could be loaded. */
  readonly failure: string | null;
  /** Why the last action failed. */
  readonly error: string | null;
  readonly notice: LabelNotice | null;
  readonly isBusy: boolean;
  readonly canUndo: boolean;
  label(label: Label, note: string): void;
  /** Shows the next result. @param note of the one that was labelled; it is stored if it changed. */
  goOn(note: string): void;
  skip(): void;
  /** Takes the last label back, or returns to the result that was skipped last. */
  undo(): void;
  /** Asks for the skipped results again. */
  returnToSkipped(): void;
  calibrate(): void;
}

/** What is restored after a reload. */
const labelView = z.object({ skipped: z.array(z.string()) });

/**
 * Labels of one metric of a run. One action at a time: keys that are pressed meanwhile do nothing. The result after
 * a labelled one is loaded while the judge's answer is read: an action that comes before it waits for it.
 */
export function useLabelling(host: RunsHost, scope: LabelScope, revision: number): Labelling {
  const { run, metric } = scope;
  const [skipped, setSkipped] = useState((): readonly string[] => {
    const { success, data } = z.safeParse(labelView, host.initialState.view);
    return success ? data.skipped : [];
  });
  const latest = useRef(skipped);
  useEffect(() => {
    latest.current = skipped;
    host.saveState({ scope, view: { skipped } });
  }, [host, scope, skipped]);
  const [state, setState] = useState<LabelState | null>(null);
  const [next, setNext] = useState<NextResult | null>(null);
  const [given, setGiven] = useState<LabelledResult | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [notice, setNotice] = useState<LabelNotice | null>(null);
  const [steps, setSteps] = useState<readonly LabelStep[]>([]);
  const [isBusy, setBusy] = useState(false);
  const working = useRef(false);
  /** Whether the result after the labelled one could be loaded. */
  const following = useRef<Promise<boolean>>(Promise.resolve(true));

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision may have other labels
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const load = async (): Promise<void> => {
      // The first request reads the files again, and the second one uses what was read.
      const now = await host.request(labelsOf, { run, metric }, signal);
      const result = await host.request(nextResult, { run, metric, skipped: latest.current }, signal);
      if (signal.aborted) return;
      setState(now);
      setNext(result);
      setFailure(null);
    };
    load().catch((reason: unknown) => {
      if (!signal.aborted) setFailure(messageOf(reason));
    });
    return () => controller.abort();
  }, [host, run, metric, revision]);

  const act = useCallback((action: () => Promise<void>): void => {
    if (working.current) return;
    working.current = true;
    setBusy(true);
    setError(null);
    setNotice(null);
    following.current
      .then(action)
      .catch((reason: unknown) => setError(messageOf(reason)))
      .finally(() => {
        working.current = false;
        setBusy(false);
      });
  }, []);
  const store = async (id: string, label: Label | null, note: string): Promise<JudgedAnswer | null> => {
    const { judged, state: now } = await host.request(setLabel, { run, metric, id, label, note });
    setState(now);
    return judged;
  };
  /** Loads the next result, without those that are skipped. */
  const advance = async (without: readonly string[]): Promise<void> => {
    const result = await host.request(nextResult, { run, metric, skipped: without });
    setSkipped(without);
    setNext(result);
  };

  return {
    state,
    next,
    given,
    failure,
    error,
    notice,
    isBusy,
    canUndo: steps.length > 0,
    label: (label, note) =>
      act(async () => {
        const result = next?.result;
        if (!result || given) return;
        const judged = await store(result.id, label, note);
        if (!judged) return;
        setGiven({ result, label, note, judged });
        setSteps((before) => [...before, { id: result.id, isLabel: true }]);
        following.current = advance(skipped).then(
          () => true,
          (reason: unknown) => {
            setError(messageOf(reason));
            return false;
          },
        );
      }),
    goOn: (note) =>
      act(async () => {
        if (!given) return;
        if (note !== given.note) await store(given.result.id, given.label, note);
        if (!(await following.current)) {
          await advance(skipped);
          following.current = Promise.resolve(true);
        }
        setGiven(null);
      }),
    skip: () =>
      act(async () => {
        const id = next?.result?.id;
        if (id === undefined || given) return;
        await advance([...skipped, id]);
        setSteps((before) => [...before, { id, isLabel: false }]);
      }),
    undo: () =>
      act(async () => {
        const last = steps.at(-1);
        if (!last) return;
        const others = skipped.filter((id) => id !== last.id);
        if (last.isLabel) await store(last.id, null, '');
        // A person who has seen what the judge said labels this result after all others.
        await advance(last.isLabel ? [...others, last.id] : others);
        setSteps((before) => before.slice(0, -1));
        setGiven(null);
        setNotice(last.isLabel ? 'taken-back' : 'unskipped');
      }),
    returnToSkipped: () =>
      act(async () => {
        await advance([]);
        setSteps([]);
      }),
    calibrate: () =>
      act(async () => {
        setState(await host.request(storeCalibration, { run, metric }));
      }),
  };
}
