import * as l10n from '@vscode/l10n';
import { useActions } from '../hooks/use-actions.ts';

/** Opens the documentation of a rule. An HTML report has only its id, which `turnwise rules` explains. */
export function RuleName({ rule }: Readonly<{ rule: string }>) {
  const { host, openRule } = useActions();
  if (host.surface === 'page') return <code>{rule}</code>;
  return (
    <button
      type="button"
      className="link"
      title={l10n.t('Open documentation of rule {0}', rule)}
      onClick={() => openRule(rule)}
    >
      {l10n.t('Rule')}
    </button>
  );
}
