import { dirname } from 'node:path';
import type { Finding } from '../../../src/core/finding.ts';
import type { Session } from '../../../src/core/session.ts';
import { agreements, type ComparedAttempt } from '../../../src/metrics/attempts/agreement.ts';
import type { RiskSample } from '../../../src/metrics/shared/risk-fit.ts';
import { conversationLength } from '../../../src/metrics/shared/risk-model.ts';
import { sessionChanges, sessionFingerprint } from '../../../src/metrics/shared/session-changes.ts';
import { collectFindings } from '../../../src/rules/index.ts';
import { shuffled } from '../../../src/stats/random.ts';
import { familiesOf, labelledSessions, read } from './labelled-sessions.ts';
import { labelledSets } from './labelled-sets.ts';

/** A labelled session as a sample of the fit. */
export interface LabelledSample extends RiskSample {
  readonly session: Session;
  readonly findings: readonly Finding[];
  readonly agent: string;
  /** The same for all attempts of one task, whichever agent made them. */
  readonly task: string;
  readonly attempt: ComparedAttempt;
}

type Labelled = Omit<LabelledSample, 'family' | 'length' | 'agreement' | 'attempt'>;

/**
 * Every labelled session of the public data, each with all other attempts of its task; null where the data is not there.
 */
export async function riskSamples(): Promise<readonly LabelledSample[] | null> {
  const [sets, older, failedRetail] = await Promise.all([
    labelledSets(),
    labelledSessions(),
    read('agentrx-tau-retail/failed-runs.json'),
  ]);
  if (!sets || !older || !failedRetail) return null;
  const labelled: Labelled[] = [
    ...sets.map(({ session, findings, set, agent, domain, task, file, failed, attack }) => ({
      session,
      findings,
      set,
      agent,
      domain: domainOf(file, domain),
      // Runs under different attacks are no attempts of one task: the results that they read differ.
      task: `${dirname(file)} ${domain} ${task} ${attack === null ? '' : session.id}`,
      // A session that obeyed an attacker failed its user, whatever else it did.
      failed: failed || attack === 'success',
    })),
    ...failedRetail.map((session) => ({
      session,
      findings: collectFindings(session),
      ...AGENTRX_RETAIL,
      task: `agentrx ${session.task?.id}`,
      failed: true,
    })),
    ...older.map(({ session, findings, dataset, failed }) => {
      const domain = session.task?.dataset ?? 'airline';
      const task = `${dataset} ${domain} ${session.task?.id ?? session.id}`;
      return { session, findings, set: `${dataset}, ${domain}`, agent: dataset, domain, task, failed };
    }),
  ];
  const families = familiesOf(labelled.map(({ session }) => session));
  const samples = labelled.map((item, index) => ({
    ...item,
    family: families[index] ?? '',
    length: conversationLength(item.session),
    agreement: null,
    attempt: comparedAttempt(item),
  }));
  return withAttempts(samples, ({ length }) => length);
}

function comparedAttempt({ session, agent }: Pick<LabelledSample, 'session' | 'agent'>): ComparedAttempt {
  const { changes = [], endedEarly } = sessionChanges(session);
  return {
    changes: changes.map(({ key }) => key),
    agent,
    fingerprint: sessionFingerprint(session),
    ...(endedEarly && { endedEarly }),
  };
}

/** The samples, each compared with some of the other attempts of its task, which are drawn by chance. */
export function withAttempts(
  samples: readonly LabelledSample[],
  countOf: (others: readonly LabelledSample[]) => number,
  seed = 0,
): LabelledSample[] {
  const tasks = Map.groupBy(samples, ({ task }) => task);
  return samples.map((sample, index) => {
    const others = (tasks.get(sample.task) ?? []).filter((other) => other !== sample);
    const drawn = shuffled(others, seed * samples.length + index + 1).slice(0, countOf(others));
    const [agreement] = agreements([sample, ...drawn].map(({ attempt }) => attempt));
    if (!agreement || agreement.share === null) return { ...sample, agreement: null };
    return { ...sample, agreement: { others: agreement.others, share: agreement.share } };
  });
}

/** The failed runs of AgentRx belong to those that succeeded, which are in a folder of their own. */
const AGENTRX_RETAIL = { set: 'not named, retail', agent: 'not named', domain: 'retail' } as const;

/** Sets of one benchmark that are too small, or share their one agent, are one domain. */
function domainOf(file: string, domain: string): string {
  if (file.startsWith('agentdojo')) return 'AgentDojo';
  return file.startsWith('tau2-spanish') ? 'Spanish-language service' : domain;
}
