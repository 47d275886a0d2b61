import { joinWithAnd } from '../core/text/lists.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { shellWord } from '../core/text/shell-word.ts';
import type { LabelledRun } from './run-label.ts';

/** What helps where runs cannot be found, compared or accepted, as it is done where the sentence is read. */
export interface Remedies {
  /** @param how the run must be evaluated this time, such as "with the configuration of today" */
  readonly again: (run: LabelledRun, how: string) => string;
  /** After a sentence that says that a run must be judged again. */
  readonly judge: {
    readonly again: (run: LabelledRun) => string;
    /** With the judge of the run that it is compared with. @param model `provider:model` */
    readonly withModel: (run: LabelledRun, model: string) => string;
    readonly withoutCache: (run: LabelledRun) => string;
  };
  /** For `again`. */
  readonly allTurns: string;
  /** For `again`. */
  readonly embedder: (name: string) => string;
  /** Where other metrics decide whether attempts are correct. */
  readonly correctBy: (first: LabelledRun, other: LabelledRun) => string;
  /** For an incomplete run. */
  readonly complete: (run: LabelledRun) => string;
  /** For an incomplete run that cannot be the baseline. */
  readonly finish: string;
  readonly nameTasks: string;
  readonly nameVersion: string;
  readonly otherRun: string;
  /** For a name that no run has. @param runs how many the project has */
  readonly unknownRun: (runs: number) => string;
  readonly recordedRuns: string;
}

/** In the terminal: what there is instead of any run. */
export const NOTHING_RECORDED = 'No run of this project is recorded yet. `turnwise eval` records each run.';

export const terminalRemedies: Remedies = {
  again: evaluateAgain,
  judge: {
    again: (run) => evalCommand(run),
    withModel: (run, model) => evalCommand(run, `--judge ${shellWord(model)}`),
    withoutCache: (run) => evalCommand(run, '--no-cache'),
  },
  allTurns: 'without --turn',
  embedder: (name) => `with --embedder ${shellWord(name)}`,
  correctBy: (first, { run: { manifest } }) => {
    const { correctBy } = manifest.plan;
    return evaluateAgain(
      first,
      correctBy === null ? 'without --correct-by' : `with --correct-by ${shellWord(correctBy)}`,
    );
  },
  complete: ({ run }) => `Complete it: turnwise eval --resume ${shellWord(run.manifest.id)}`,
  finish: 'Finish it with turnwise eval --resume, or evaluate again.',
  nameTasks: '--task-by says what names the task of a session, where the traces do not.',
  nameVersion: 'Evaluate inside a git work tree, or with --agent-version.',
  otherRun: 'Name another run: turnwise history lists them.',
  unknownRun: (runs) =>
    runs === 0 ? NOTHING_RECORDED : `\`turnwise history\` lists the ${pluralize(runs, 'run')} of this project.`,
  recordedRuns: 'Compare recorded runs instead: turnwise eval records each run.',
};

const EVALUATE = '"Turnwise: Evaluate Traces in Folder"';
const EVALUATE_AGAIN = `Evaluate its traces again: run ${EVALUATE}.`;

/** For VS Code: commands by their titles. */
export const editorRemedies: Remedies = {
  again: ({ label }, how) => `Evaluate ${label} again ${how}: run ${EVALUATE}.`,
  judge: {
    again: () => `Run ${EVALUATE}.`,
    withModel: () => 'Choose "Judge Again".',
    // The editor has no command for it.
    withoutCache: (run) => `Only a terminal can leave out cached answers: ${evalCommand(run, '--no-cache')}`,
  },
  allTurns: 'with all turns',
  embedder: (name) => `with the embedder ${name} in the configuration`,
  correctBy: (...both) => {
    const byMetric = both.filter(({ run }) => run.manifest.plan.correctBy !== null).map(({ label }) => label);
    return `Evaluate ${joinWithAnd(byMetric)} again in the editor, where the outcome decides: run ${EVALUATE}.`;
  },
  complete: () => EVALUATE_AGAIN,
  finish: EVALUATE_AGAIN,
  nameTasks: '"tasks.by" in the configuration says what names the task of a session, where the traces do not.',
  nameVersion: 'Evaluate inside a git work tree, or name the version in the traces.',
  otherRun: 'Choose another run in the Runs view.',
  unknownRun: (runs) =>
    runs === 0 ? 'No run of this project is recorded.' : 'The Runs view lists the runs of this project.',
  recordedRuns: 'Compare recorded runs instead: the Runs view lists them.',
};

function evaluateAgain(run: LabelledRun, how: string): string {
  return `Evaluate ${run.label} again ${how}: ${evalCommand(run)}`;
}

function evalCommand({ run }: LabelledRun, option = ''): string {
  return ['turnwise eval', ...run.manifest.inputs.map(shellWord), option].filter((word) => word !== '').join(' ');
}
