import { clamp } from '../core/scale.ts';
import { pluralize } from '../core/text/pluralize.ts';
import type { RunEvent } from '../engine/events.ts';
import type { CallLog } from '../llm/chat-client.ts';
import type { QueueProgress } from '../queue/session-queue.ts';
import { sanitizeLine, truncate } from '../reports/terminal-text.ts';
import type { ScenarioEvent } from '../scenarios/run-scenarios.ts';
import type { TextOutput } from './host.ts';

/** Shorter runs show no bar, since it would only flicker. */
const FIRST_DRAW_DELAY_MS = 300;
const REDRAW_INTERVAL_MS = 100;
/** Without a terminal, a line is printed at this interval. */
const LINE_INTERVAL_MS = 5_000;
const CELLS = 20;

/** Shows the progress of a run on standard error: a bar at a terminal, otherwise a line every few seconds. */
export interface RunProgress {
  readonly onFile: (file: string, of: number) => void;
  readonly onResult: (event: RunEvent) => void;
  readonly onAttempt: (event: ScenarioEvent) => void;
  readonly onCall: (call: CallLog) => void;
  readonly onQueue: (progress: QueueProgress) => void;
  /** Removes the bar. */
  end(): Promise<void>;
}

export const NO_PROGRESS: RunProgress = {
  onFile() {},
  onResult() {},
  onAttempt() {},
  onCall() {},
  onQueue() {},
  end: () => Promise.resolve(),
};

export function showProgress(output: TextOutput, now: () => number): RunProgress {
  const begun = now();
  let drawn = output.terminal ? begun + FIRST_DRAW_DELAY_MS - REDRAW_INTERVAL_MS : begun;
  let visible = false;
  let files = { read: 0, of: 0 };
  let calls = 0;
  let failed = 0;
  let turns = { done: 0, of: 0 };
  let attempts = { done: 0, of: 0 };
  let at = '';

  const show = (text: string, cells: string) => {
    const interval = output.terminal ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS;
    if (now() - drawn < interval) return;
    drawn = now();
    visible = output.terminal;
    const line = output.terminal
      ? `\r${truncate(`${cells}${text}`, output.columns - 1)}\u001b[K`
      : `turnwise: ${text}\n`;
    void output.write(line);
  };

  const describeCalls = () =>
    calls === 0 ? '' : `, ${calls} ${calls === 1 ? 'call' : 'calls'}${failed === 0 ? '' : ` (${failed} failed)`}`;

  const showAttempts = () => {
    const seconds = Math.round((now() - begun) / 1000);
    const text = `simulating: ${attempts.done} of ${attempts.of} attempts, ${seconds} s${describeCalls()}${at}`;
    show(text, attempts.of === 0 ? '' : `${bar(attempts.done / attempts.of)} `);
  };

  const showTurns = () => {
    const callsText = describeCalls();
    if (files.read < files.of) {
      // How many turns the other files have is not known yet.
      const share = bar(files.read / files.of);
      show(`${turns.done} turns, ${files.read} of ${files.of} files${callsText}${at}`, `${share} `);
      return;
    }
    const cells = turns.of === 0 ? '' : `${bar(turns.done / turns.of)} `;
    show(`${turns.done} of ${turns.of} turns${callsText}${at}`, cells);
  };

  return {
    onFile(file, of) {
      files = { read: files.read + 1, of };
      if (turns.done > 0) showTurns();
      else show(`read ${files.read} ${files.read === 1 ? 'file' : 'files'}, ${sanitizeLine(file)}`, '');
    },
    onResult(event) {
      if (event.type === 'started') turns = { done: 0, of: event.turns };
      if (event.type === 'started') return;
      turns = event;
      at = `, ${sanitizeLine(event.type === 'turn' ? event.session : event.session.id)}`;
      showTurns();
    },
    onAttempt(event) {
      if (event.type === 'planned') attempts = { ...attempts, of: event.attempts };
      else if (event.type === 'attempt') {
        attempts = event;
        at = `, ${sanitizeLine(event.attempt.id)}`;
      }
      showAttempts();
    },
    onCall({ cached, failure }) {
      if (!cached) calls += 1;
      if (failure !== null) failed += 1;
      if (turns.of === 0 && attempts.of > 0) showAttempts();
      else showTurns();
    },
    onQueue({ sessions, done, parked, workers }) {
      const cells = sessions === 0 ? '' : `${bar((done + parked) / sessions)} `;
      const others = parked === 0 ? '' : `, ${parked} parked`;
      show(`${done} of ${sessions} sessions${others}, ${pluralize(workers, 'worker')}${describeCalls()}`, cells);
    },
    async end() {
      if (visible) await output.write('\r\u001b[K');
      visible = false;
    },
  };
}

function bar(share: number): string {
  const filled = Math.round(clamp(share, 0, 1) * CELLS);
  return '▮'.repeat(filled) + '▯'.repeat(CELLS - filled);
}
