import * as l10n from '@vscode/l10n';

type LoadErrorProps = Readonly<{ message: string; onRetry: () => void }>;

/** A load error with a button to retry. */
export function LoadError({ message, onRetry }: LoadErrorProps) {
  return (
    <main className="empty">
      <h1>{l10n.t('The report could not be loaded')}</h1>
      <p role="alert">{message}</p>
      <button type="button" className="primary" onClick={onRetry}>
        {l10n.t('Try Again')}
      </button>
    </main>
  );
}
