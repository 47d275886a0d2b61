import type { Finding } from '../../../src/core/finding.ts';
import type { Session } from '../../../src/core/session.ts';
import type { RiskSample } from '../../../src/metrics/shared/risk-fit.ts';
import { conversationLength } from '../../../src/metrics/shared/risk-model.ts';
import { collectFindings } from '../../../src/rules/index.ts';
import { familiesOf, labelledSessions, read } from './labelled-sessions.ts';
import { labelledSets } from './labelled-sets.ts';

/** A labelled session as a sample of the fit. */
export interface LabelledSample extends RiskSample {
  readonly session: Session;
  readonly findings: readonly Finding[];
  readonly agent: string;
}

type Labelled = Omit<LabelledSample, 'family' | 'length' | 'agreement'>;

/** Every labelled session of the public data; null where the data is not there. */
export async function riskSamples(): Promise<readonly LabelledSample[] | null> {
  const [sets, older, failedRetail] = await Promise.all([
    labelledSets(),
    labelledSessions(),
    read('agentrx-tau-retail/failed-runs.json'),
  ]);
  if (!sets || !older || !failedRetail) return null;
  const labelled: Labelled[] = [
    ...sets.map(({ session, findings, set, agent, domain, file, failed, attack }) => ({
      session,
      findings,
      set,
      agent,
      domain: domainOf(file, domain),
      // A session that obeyed an attacker failed its user, whatever else it did.
      failed: failed || attack === 'success',
    })),
    ...failedRetail.map((session) => ({
      session,
      findings: collectFindings(session),
      ...AGENTRX_RETAIL,
      failed: true,
    })),
    ...older.map(({ session, findings, dataset, failed }) => {
      const domain = session.task?.dataset ?? 'airline';
      return { session, findings, set: `${dataset}, ${domain}`, agent: dataset, domain, failed };
    }),
  ];
  const families = familiesOf(labelled.map(({ session }) => session));
  return labelled.map((item, index) => ({
    ...item,
    family: families[index] ?? '',
    length: conversationLength(item.session),
    agreement: null,
  }));
}

/** The failed runs of AgentRx belong to those that succeeded, which are in a folder of their own. */
const AGENTRX_RETAIL = { set: 'not named, retail', agent: 'not named', domain: 'retail' } as const;

/** Sets of one benchmark that are too small, or share their one agent, are one domain. */
function domainOf(file: string, domain: string): string {
  if (file.startsWith('agentdojo')) return 'AgentDojo';
  return file.startsWith('tau2-spanish') ? 'Spanish-language service' : domain;
}
