import {
  type EditOutcome,
  type FindingArgument,
  type RuleArgument,
  type RuleLevel,
  relevel,
  suppress,
} from '../../protocol/edits.ts';
import { giveOpinion } from '../../protocol/panel.ts';
import { answer } from '../../protocol/request.ts';
import type { Context, Feature } from '../context.ts';
import { type Plan, refusal, written } from '../disk/file-change.ts';
import { openFolders } from '../disk/open-folders.ts';
import { writeOpinion } from './giving-opinions.ts';
import { planRelevel } from './releveling.ts';
import { planSuppression } from './suppressing.ts';

/** Writes what a person decides about findings. What is held stays as it is until its files are evaluated again. */
export const edits: Feature = (context) => {
  const { connection } = context;
  const plans = new Plans({ ...context, folders: () => openFolders(connection) });
  // What is written rests on what was read: one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (plan: () => Promise<Plan>): Promise<EditOutcome> => {
    const outcome = last.then(async () => written(await plan()));
    last = outcome.catch(() => {});
    return outcome;
  };
  answer(connection, suppress, ({ reason, ...finding }) => inTurn(() => plans.suppression(finding, reason)));
  answer(connection, giveOpinion, (given) =>
    writeOpinion(context, given, (plan) => inTurn(async () => plans.untrusted() ?? plan())),
  );
  answer(connection, relevel, ({ level, ...rule }) => inTurn(() => plans.level(rule, level)));
  return {};
};

interface PlanParts extends Pick<Context, 'results' | 'files' | 'settings'> {
  /** Paths of the folders that the editor has open. */
  readonly folders: () => Promise<readonly string[]>;
}

/** What would be written, where anything may be. */
export class Plans {
  readonly #parts: PlanParts;

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  async suppression(finding: FindingArgument, reason: string): Promise<Plan> {
    return this.untrusted() ?? planSuppression(this.#parts, finding, reason);
  }

  async level(rule: RuleArgument, level: RuleLevel): Promise<Plan> {
    return this.untrusted() ?? planRelevel(rule, level, await this.#parts.folders());
  }

  untrusted(): Plan | null {
    return this.#parts.settings().trusted ? null : refusal('this folder is not trusted. Trust it, then try again.');
  }
}
