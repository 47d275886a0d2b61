import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { PageIndex } from '../../src/protocol/report-page.ts';
import { pageIndex } from '../../src/protocol/report-page.ts';
import { App } from '../app.tsx';
import { OverviewApp } from '../overview/overview-app.tsx';
import { BackToRun } from './back-to-run.tsx';
import { PageAnswers } from './page-answers.ts';
import { PageData } from './page-data.ts';
import { PageHost, type ShownPage } from './page-host.ts';
import { RunSummary } from './run-summary.tsx';
import { SessionLeftOut } from './session-left-out.tsx';

/** The page that the address names: `#session=ID&turn=3`, else the run. */
function shownPage(): ShownPage | null {
  const named = new URLSearchParams(location.hash.slice(1));
  const [session, turn] = [named.get('session'), Number(named.get('turn') ?? Number.NaN)];
  return session === null ? null : { session, turn: Number.isInteger(turn) && turn > 0 ? turn - 1 : null };
}

function show(page: ShownPage | null): void {
  if (page === null) {
    location.hash = '';
    return;
  }
  const address = new URLSearchParams({ session: page.session });
  if (page.turn !== null) address.set('turn', String(page.turn + 1));
  location.hash = address.toString();
}

type ReportPageProps = Readonly<{ host: PageHost; index: PageIndex }>;

/** The run, or one of its sessions. */
function ReportPage({ host, index }: ReportPageProps) {
  const [page, setPage] = useState(shownPage);
  useEffect(() => {
    const onChange = (): void => {
      setPage(shownPage());
      scrollTo(0, 0);
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  if (page === null) {
    return (
      <main className="run-page">
        <RunSummary run={index.run} sessions={index.summary.sessions} onShow={show} />
        {index.summary.sessions > 0 ? <RunSessions host={host} /> : null}
      </main>
    );
  }
  const known = index.sessions.find(({ row }) => row.key === page.session);
  return (
    <>
      <BackToRun onBack={() => show(null)} />
      {known?.report ? (
        <SessionPage key={`${page.session} ${page.turn}`} host={host} page={page} />
      ) : (
        <SessionLeftOut run={index.run.id} session={page.session} isKnown={known !== undefined} />
      )}
    </>
  );
}

function RunSessions({ host }: Readonly<{ host: PageHost }>) {
  const [overview] = useState(() => host.overview());
  return <OverviewApp host={overview} />;
}

function SessionPage({ host, page }: Readonly<{ host: PageHost; page: ShownPage }>) {
  const [session] = useState(() => host.session(page));
  return <App host={session} />;
}

async function start(element: Element): Promise<void> {
  const data = new PageData();
  const index = await data.element('index', pageIndex);
  const host = new PageHost(new PageAnswers(data, index), show);
  createRoot(element).render(
    <StrictMode>
      <ReportPage host={host} index={index} />
    </StrictMode>,
  );
}

const element = document.getElementById('report');
if (element) void start(element);
