/** Leads from a session back to the run. */
export function BackToRun({ onBack }: Readonly<{ onBack: () => void }>) {
  return (
    <nav className="back-to-run" aria-label={'Report'}>
      <button type="button" className="link" onClick={onBack}>
        {'← All Sessions'}
      </button>
    </nav>
  );
}
