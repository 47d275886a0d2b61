type LoadErrorProps = Readonly<{ message: string; onRetry: () => void }>;

/** The report could not be had, and this is how to try again. */
export function LoadError({ message, onRetry }: LoadErrorProps) {
  return (
    <main className="empty">
      <h1>The report could not be loaded</h1>
      <p role="alert">{message}</p>
      <button type="button" className="primary" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}
