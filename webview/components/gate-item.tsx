import * as l10n from '@vscode/l10n';
import type { ReportGate } from '../../src/protocol/report.ts';
import { VERDICTS } from '../format.ts';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';

/** Whether a gate is met, and why. */
export function GateItem({ gate }: Readonly<{ gate: ReportGate }>) {
  return (
    <li className="item">
      <ShapeIcon {...VERDICTS[gate.met === null ? 'undecided' : gate.met ? 'passed' : 'failed']} />
      <div>
        <p>
          <b>{gate.metric}</b> <span className="quiet">{gateDetails(gate)}</span>
        </p>
        <p className="reason">
          <Sentence text={gate.reason} />
        </p>
      </div>
    </li>
  );
}

function gateDetails({ threshold, actual, met, scope }: ReportGate): string {
  const format = (value: ReportGate['threshold']): string => (typeof value === 'number' ? value.toFixed(2) : value);
  const label = met === null ? l10n.t('undecided') : met ? l10n.t('met') : l10n.t('not met');
  return [
    label,
    actual === null
      ? l10n.t('limit {0}', format(threshold))
      : l10n.t('{0}, limit {1}', format(actual), format(threshold)),
    ...(scope === 'session' ? [] : [scope === 'run' ? l10n.t('of the run') : l10n.t('of the task')]),
  ].join(' · ');
}
