import type { Figures } from './figures.ts';
import type { Group, Row, Unit } from './table.ts';

const row = (title: string, unit: Unit, name: string, aim?: number): Row => ({
  title,
  unit,
  of: (item) => item[name],
  ...(aim === undefined ? {} : { aim }),
});

/** How much more something takes with the extension than without. */
const more = (title: string, unit: Unit, name: string, without: string, aim?: number): Row => ({
  ...row(title, unit, name, aim),
  of: (item) => difference(item[name], item[without]),
});

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}

/** If a profile and a comparison both measure the extension's part of a block, the target applies to the profile's. */
export const GROUPS: readonly Group[] = [
  {
    title: 'Activation',
    rows: [
      row('with the first window that opens, as VS Code reports it', 'ms', 'activatedFirst', 30),
      row('with later windows, as VS Code reports it', 'ms', 'activatedLater', 30),
      row('on demand, around `activate()`', 'ms', 'activatedOnDemand'),
    ],
  },
  {
    title: 'Opening a trace of 20 MB',
    rows: [
      row('VS Code shows it', 'ms', 'opened'),
      row('VS Code shows the same file under a name that does not match', 'ms', 'openedPlain'),
      row('VS Code shows the same file without an extension', 'ms', 'openedNoLanguage'),
      row('first lens, from opening the file', 'ms', 'firstLens', 1000),
      more('first lens, from when the file is shown; starts the server', 'ms', 'firstLens', 'opened', 1000),
      row('first lens of the same file closed and opened again, from when it is shown', 'ms', 'lensAgain', 1000),
    ],
  },
  {
    title: 'The extension host is blocked',
    rows: [
      row('opening it: longest, in Turnwise’s code', 'ms', 'longestOpening', 50),
      row('opening it: longest, all code', 'ms', 'blockOpening'),
      row('opening it: longest, without Turnwise', 'ms', 'blockOpeningPlain'),
      more(
        'opening it: longest CPU time, difference from without Turnwise',
        'ms',
        'workOpening',
        'workOpeningPlain',
        50,
      ),
      row('evaluating it: longest, in Turnwise’s code', 'ms', 'longestEvaluating', 50),
      row('evaluating it: longest CPU time, all code', 'ms', 'workEvaluating', 50),
      row('typing in it: longest, in Turnwise’s code', 'ms', 'longestTyping', 50),
      row('typing in it: longest CPU time', 'ms', 'workTyping'),
      row('typing in it: longest CPU time, without Turnwise', 'ms', 'workTypingPlain'),
    ],
  },
  {
    title: 'Work',
    rows: [
      row('evaluating 20 MB', 'ms', 'evaluated'),
      row('typing a letter: CPU time of the host', 'ms', 'busyTyping'),
      row('typing a letter: CPU time of the host without Turnwise', 'ms', 'busyTypingPlain'),
      row('typing a letter: CPU time of the server', 'ms', 'serverTyping'),
      row('evaluating a session of 2,000 turns', 'ms', 'longEvaluated'),
      row('editing one of its turns: from saving to the new results', 'ms', 'longSaved'),
      row('editing one of its turns: longest of several', 'ms', 'longSavedMost'),
    ],
  },
  {
    title: 'Memory',
    rows: [
      row('extension host before', 'MB', 'hostMemoryBefore'),
      row('extension host with the 20 MB open', 'MB', 'hostMemoryOpened'),
      row('extension host with the results', 'MB', 'hostMemoryEvaluated'),
      row('extension host after clearing', 'MB', 'hostMemoryCleared'),
      row('server before', 'MB', 'serverMemoryBefore'),
      row('server with the results', 'MB', 'serverMemoryEvaluated', 250),
      row('server after clearing', 'MB', 'serverMemoryCleared'),
    ],
  },
  {
    title: 'The report of 10,000 turns',
    rows: [
      row('alone in Chromium: verdict visible', 'ms', 'panelPaint', 500),
      row('alone in Chromium: first turn visible', 'ms', 'panelTurn'),
      row('alone, scrolling: longest task of one frame', 'ms', 'panelTask', 50),
      row('alone, scrolling by pages: longest task of one frame', 'ms', 'panelTaskPages', 50),
      row('alone, scrolling: longest frame', 'ms', 'panelFrame'),
      row('alone, scrolling: frames over 50 ms', 'frames', 'panelOver', 0),
      row('alone: total frames', 'frames', 'panelFrames'),
      row('alone: JavaScript memory', 'MB', 'panelHeap'),
      row('alone: JavaScript memory after scrolling', 'MB', 'panelHeapScrolled'),
      row('in VS Code: verdict visible, from the click', 'ms', 'reportPaint', 500),
      row('in VS Code: first turn visible, from the click', 'ms', 'reportTurn'),
      row('in VS Code, scrolling: longest task of one frame', 'ms', 'reportTask', 50),
      row('in VS Code, scrolling: frames over 50 ms', 'frames', 'reportOver'),
      row('in VS Code: total frames', 'frames', 'reportFrames'),
    ],
  },
];

/** `npm run bench:editor -- --only scenarios`. */
export const SCENARIO_GROUP: Group = {
  title: 'Scenarios in the Test Explorer',
  rows: [
    row('2,000 files: listed, from showing the Test Explorer', 'ms', 'rootsFirst', 300),
    row('2,000 files: searched again', 'ms', 'rootsAgain', 300),
    row('first file of 10 scenarios; starts the server', 'ms', 'resolvedFirst'),
    row('5,000 scenarios in 500 files: found and listed', 'ms', 'resolvedAll'),
    row('finding them: longest CPU time of the extension host, all code', 'ms', 'workResolving', 50),
    row('run of 3 attempts at each, replayed: first verdict', 'ms', 'verdictFirst'),
    row('the run: scenarios with a verdict within 2 minutes', 'scenarios', 'verdicts'),
    row('the run: verdicts in a second', 'scenarios', 'verdictsPerSecond'),
    row('the run: all of it', 'ms', 'runEnded'),
    row('the run: most updates of the tree in a second', 'updates', 'updatesInSecond', 20),
    row('the run: longest CPU time of the extension host, all code', 'ms', 'workRunning', 50),
    row('Stop after the first verdict, to the end of the run', 'ms', 'stopped', 1000),
  ],
};

/** What ships, against its budget. */
export function sizeGroup(
  sizes: readonly { readonly name: string; readonly size: number; readonly budget: number }[],
): {
  readonly group: Group;
  readonly figures: Figures;
} {
  return {
    group: {
      title: 'Size',
      rows: sizes.map(({ name, budget }) => row(`\`${name}\``, 'kB', name, budget / 1000)),
    },
    figures: Object.fromEntries(sizes.map(({ name, size }) => [name, size / 1000])),
  };
}
