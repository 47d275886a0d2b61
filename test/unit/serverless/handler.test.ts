import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { evaluate } from '../../../src/index.ts';
import { createHandler, type HandlerOptions, handler } from '../../../src/serverless/handler.ts';
import { hang, startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD, LOOPING, UNKNOWN_TOOL } from '../../support/traces.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function startServer(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    port,
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const refusalOf = async (event: unknown, options: HandlerOptions = {}) => {
  const answer = await createHandler(options)(event);
  return answer.status === 'refused' ? answer.reason : `not refused: ${answer.verdict}`;
};

/** Of a report as JSON, apart from which run it is. */
function comparable(text: string): unknown {
  const { run: _, ...report } = JSON.parse(text);
  return report;
}

describe('the serverless handler', () => {
  it('reads no criteria that are in the folder of its process', async () => {
    await using folder = await temporaryFolder({
      'test_config.json': '{"criteria": {"tool_trajectory_avg_score": 1}}',
    });
    const before = process.cwd();
    process.chdir(folder.path);
    try {
      const answer = await handler({ traces: [{ name: 'good.json', content: GOOD }] });
      if (answer.status !== 'evaluated') return expect.unreachable('It is refused.');
      const gated = JSON.parse(answer.report.text).gates.map(({ metric }: { metric: string }) => metric);
      expect(gated).toEqual(['severity']);
    } finally {
      process.chdir(before);
    }
  });

  it('makes the report that the command line makes of the same traces', async () => {
    await using folder = await temporaryFolder({ 'loop.json': LOOPING, 'tool.json': UNKNOWN_TOOL });
    const answer = await handler({
      traces: [
        { name: 'loop.json', content: LOOPING },
        { name: 'tool.json', content: JSON.parse(UNKNOWN_TOOL) },
      ],
      configuration: { gates: { failOn: 'medium' } },
    });
    const expected = await evaluate([folder.path], { gates: { failOn: 'medium' } });
    expect(answer).toMatchObject({ status: 'evaluated', verdict: 'failed', complete: true });
    if (answer.status !== 'evaluated') return;
    const report = JSON.parse(answer.report.text);
    expect(report.sessions.map(({ verdict }: { verdict: string }) => verdict)).toEqual(
      expected.sessions.map(({ verdict }) => verdict),
    );
    expect(report.failures.map(({ label }: { label: string }) => label)).toEqual(
      expected.failures.map(({ label }) => label),
    );
    expect(report.failures[0].occurrences[0].line).toEqual(expect.any(Number));
  });

  it('downloads traces from the hosts that the deployment names', async () => {
    await using server = await startServer((_, response) => response.end(LOOPING));
    const event = { traces: [{ url: `http://${server.host}/run.json` }], report: 'json' };
    vi.stubEnv('TURNWISE_PRIVATE_TRACE_HOSTS', server.host);
    const downloaded = await handler(event);
    const inline = await handler({ traces: [{ content: LOOPING }] });
    if (downloaded.status !== 'evaluated' || inline.status !== 'evaluated') expect.unreachable('both are evaluated');
    else expect(comparable(downloaded.report.text)).toEqual(comparable(inline.report.text));
  });

  it('connects to no other host, nor to this machine or a private network under a name that is allowed', async () => {
    let requests = 0;
    await using server = await startServer((_, response) => {
      requests += 1;
      response.end(GOOD);
    });
    const at = (url: string, options: HandlerOptions) => refusalOf({ traces: [{ url }] }, options);
    const { host, port } = server;
    expect(await at(`http://${host}/`, {})).toBe(
      `Traces are not downloaded from ${host}: TURNWISE_TRACE_HOSTS of the deployment does not name it.`,
    );
    expect(await at(`https://${host}/`, { allowedHosts: [host] })).toContain('is this machine itself');
    expect(await at(`https://localhost:${port}/`, { allowedHosts: [`localhost:${port}`] })).toContain(
      'is this machine itself',
    );
    expect(await at(`https://[::ffff:127.0.0.1]:${port}/`, { allowedHosts: [`[::ffff:7f00:1]:${port}`] })).toContain(
      'is this machine itself',
    );
    expect(await at('https://10.1.2.3/', { allowedHosts: ['10.1.2.3'] })).toContain('is in a private network');
    expect(await at('https://169.254.169.254/', { privateHosts: ['169.254.169.254'] })).toContain('never connected to');
    expect(await at('http://traces.example/', { allowedHosts: ['traces.example'] })).toContain('by https:// alone');
    expect(await at(`http://user:word@${host}/`, { privateHosts: [host] })).toContain('no user and password');
    expect(await at('file:///etc/passwd', { allowedHosts: [''] })).toContain('begins with https://');
    expect(requests).toBe(0);
  });

  it('follows no redirect', async () => {
    await using target = await startServer((_, response) => response.end(GOOD));
    await using server = await startServer((_, response) =>
      response.writeHead(302, { location: `http://${target.host}/` }).end(),
    );
    expect(
      await refusalOf({ traces: [{ url: `http://${server.host}/` }] }, { privateHosts: [server.host, target.host] }),
    ).toContain('redirects are not followed');
  });

  it('reads no more bytes than the limit, of all traces together', async () => {
    await using server = await startServer((_, response) => response.end('x'.repeat(10_000)));
    const options = { privateHosts: [server.host], maxBytes: 5000 };
    const sentence = 'The traces are larger than 5000 bytes together.';
    expect(await refusalOf({ traces: [{ url: `http://${server.host}/` }] }, options)).toBe(sentence);
    expect(await refusalOf({ traces: [{ content: 'x'.repeat(3000) }, { content: 'y'.repeat(3000) }] }, options)).toBe(
      sentence,
    );
  });

  it('ends at the time limit with what is evaluated', async () => {
    await using stub = await startStubModels(() => hang);
    const judge = { provider: 'openai', model: 'stub', baseUrl: stub.openai };
    const answer = await createHandler({ modelHosts: [stub.origin], timeLimitMs: 1500 })({
      traces: [{ content: LOOPING }],
      configuration: { judge },
    });
    expect(answer).toMatchObject({ status: 'evaluated', verdict: 'undecided', complete: false });
    await using server = await startServer(() => undefined);
    expect(
      await refusalOf(
        { traces: [{ url: `http://${server.host}/` }] },
        { privateHosts: [server.host], timeLimitMs: 300 },
      ),
    ).toBe('The time limit ended before all traces were downloaded.');
  });

  it('refuses models of other hosts, files and code, and says what is wrong with an event', async () => {
    const judged = { judge: { provider: 'openai', model: 'm', baseUrl: 'http://127.0.0.1:9/v1' } };
    const traces = [{ content: GOOD }];
    const refusals = [
      [{ traces, configuration: judged }, 'Traces are not sent to 127.0.0.1:9'],
      [{ traces, configuration: { embedder: { provider: 'static', model: '/etc' } } }, 'reads files'],
      [{ traces, configuration: { custom: [{ name: 'x', evaluate: 'code' }] } }, 'evaluate'],
      [{ traces, configuration: { metrics: ['relevanz'] } }, 'relevance'],
      [{ traces: 'all' }, 'traces'],
      [{ traces, secret: 1 }, 'secret'],
      [{ traces, report: 'junitt' }, 'junit'],
      [{ traces: [{ name: '../x.json', content: GOOD }] }, 'The name of a trace'],
      [{ traces: [...traces, { name: 'trace-1.json', content: GOOD }] }, 'Two traces'],
      [null, 'The event is not as described'],
    ] as const;
    for (const [event, part] of refusals) expect(await refusalOf(event)).toContain(part);
  });
});
