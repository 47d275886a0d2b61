type SessionLeftOutProps = Readonly<{ run: string; session: string; isKnown: boolean }>;

/** Stands for a session whose report is not in the file. */
export function SessionLeftOut({ run, session, isKnown }: SessionLeftOutProps) {
  return (
    <main className="empty">
      <h1>{isKnown ? 'Left out of this report' : 'No such session'}</h1>
      {isKnown ? (
        <>
          <p>{'It has no problems, and the report would be larger than 40 MB with all of them.'}</p>
          <p>
            {'All its results:'} <code>{`turnwise report ${run} --to jsonl`}</code>
          </p>
        </>
      ) : (
        <p>
          <code>{session}</code>
        </p>
      )}
    </main>
  );
}
