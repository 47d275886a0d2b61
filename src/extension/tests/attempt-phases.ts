import * as vscode from 'vscode';
import type * as z from 'zod/mini';
import type { scenarioProgress } from '../../protocol/scenarios.ts';

type ScenarioProgress = z.infer<typeof scenarioProgress.params>;

/** Where the attempts of a run are, as a line of its output. */
export class AttemptPhases {
  readonly #phases = new Map<string, ScenarioProgress['attempts'][number]['phase']>();
  #line = '';

  /** `12 of 60 attempts finished · 3 simulating · 5 evaluating`; null where nothing changed since the last line. */
  update({ attempts, done, of }: Pick<ScenarioProgress, 'attempts' | 'done' | 'of'>): string | null {
    for (const { uri, name, trial, agent, phase } of attempts) {
      this.#phases.set(JSON.stringify([uri, name, trial, agent]), phase);
    }
    const phases = [...this.#phases.values()];
    const [simulating, evaluating] = (['simulating', 'evaluating'] as const).map(
      (phase) => phases.filter((one) => one === phase).length,
    );
    const line = [
      vscode.l10n.t('{0} of {1} attempts finished', done, of),
      ...(simulating ? [vscode.l10n.t('{0} simulating', simulating)] : []),
      ...(evaluating ? [vscode.l10n.t('{0} evaluating', evaluating)] : []),
    ].join(' · ');
    if (line === this.#line) return null;
    this.#line = line;
    return line;
  }
}
