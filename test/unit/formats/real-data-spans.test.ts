import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { agentToolCalls, type Session, type Step } from '../../../src/core/session.ts';
import { sharedData } from '../../support/shared-data.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { documentAt, onlySession, pointersOf, read, resolve, turnAt } from './read-fixture.ts';

const root = sharedData('.');

function real(path: string) {
  const document = documentAt(`${root}/${path}`, path);
  const reading = read(document);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  return reading;
}

function counts(sessions: readonly Session[]) {
  const turns = sessions.flatMap((session) => session.turns);
  const calls = turns.flatMap(agentToolCalls);
  return {
    sessions: sessions.length,
    turns: turns.length,
    answered: turns.filter(({ output }) => output !== null).length,
    models: turns.flatMap(({ steps }) => steps.filter(({ type }) => type === 'model')).length,
    calls: calls.length,
    errors: calls.filter(({ outcome }) => outcome === 'error').length,
    missing: calls.filter(({ outcome }) => outcome === 'missing').length,
  };
}

function agentsOf(steps: readonly Step[]) {
  return steps.flatMap((step) =>
    step.type === 'agent'
      ? [{ name: step.name, calls: step.turns.flatMap((turn) => agentToolCalls(turn).map(({ name }) => name)) }]
      : [],
  );
}

// All numbers are those of the raw files, counted apart from the readers: spans of models and tools, requested calls.
describe.skipIf(root === null)('real files of spans (needs ../shared/data)', () => {
  it.each<[path: string, format: string, ...numbers: number[]]>([
    // Sessions, turns, answered, models, calls, errors, missing. Of the 96 and 72 spans most are HTTP and A2A.
    ['agentevals-otel/helm.json', 'jaeger', 1, 1, 1, 2, 1, 0, 0],
    ['agentevals-otel/helm_2.json', 'jaeger', 1, 1, 1, 1, 0, 0, 0],
    ['agentevals-otel/tempo_export_with_batches.json', 'tempo', 1, 1, 1, 2, 1, 0, 0],
    ['strands-evals-spans/adk_live_spans.json', 'span-list', 1, 1, 1, 2, 1, 0, 0],
    // No span of a model: its agent lists five messages. Both calls are of sub-agents.
    ['strands-evals-spans/claude_adot_spans.json', 'span-list', 1, 1, 1, 5, 2, 0, 0],
    // Three of the eight models and two of the five tools are the coordinator's.
    ['strands-evals-spans/openai_agents_genai_live_spans.json', 'span-list', 1, 1, 1, 3, 2, 0, 0],
    // The first of two requested calls has no span.
    ['strands-evals-spans/openinference_live_spans.json', 'span-list', 1, 1, 1, 2, 2, 0, 1],
    ['strands-evals-spans/otel_genai_convention_spans.json', 'span-list', 1, 1, 1, 2, 2, 1, 0],
    ['strands-evals-spans/pydantic_ai_live_spans.json', 'span-list', 1, 1, 1, 2, 1, 0, 0],
    ['any-agent/GOOGLE_trace.json', 'any-agent', 1, 1, 1, 3, 3, 0, 0],
    ['any-agent/OPENAI_trace.json', 'any-agent', 1, 1, 1, 3, 2, 0, 0],
    ['any-agent/TINYAGENT_trace.json', 'any-agent', 1, 1, 1, 4, 3, 0, 0],
    // Two traces without a session; the history of the second holds a turn, of which one message was an answer.
    ['openinference/ai-generateText-doGenerate.json', 'span-list', 2, 3, 3, 3, 0, 0, 0],
    ['openinference/openinference_client_span_tool_calls.json', 'span-list', 1, 1, 1, 2, 1, 0, 0],
    ['openinference/otel_genai_client_span_tool_calls.json', 'span-list', 1, 1, 1, 2, 1, 0, 0],
  ])('%s', (path, format, sessions, turns, answered, models, calls, errors, missing) => {
    const reading = real(path);
    expect(reading.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(reading.sessions.map(({ source }) => source.format)).toEqual(Array(sessions).fill(format));
    expect(counts(reading.sessions)).toEqual({ sessions, turns, answered, models, calls, errors, missing });
    expect(reading.sessions.every(({ turns: all }) => all.every(({ input }) => input))).toBe(true);
  });

  it.each([
    'otlp/otel-proto-example-logs.json',
    'otlp/otel-proto-example-trace.json',
    'otlp/otlp2jaeger-in.json',
    'otlp/otlp2jaeger-out.json',
  ])("%s: no span is an agent's", (path) => {
    const reading = real(path);
    expect([reading.sessions, reading.problems.map(({ code }) => code)]).toEqual([[], ['no-session']]);
  });

  it('helm.json: calls recorded by two instrumentations count once', () => {
    const session = onlySession(real('agentevals-otel/helm.json'));
    expect(session).toMatchObject({ id: 'ctx-7ed9780f-3688-4fc0-b10b-2e4df2f83cf0' });
    expect(session.system).toMatch(/^# Helm AI Agent System Prompt/);
    expect(session.tools).toHaveLength(9);
    const turn = turnAt(session, 0);
    expect(turn).toMatchObject({
      input: 'list all Helm releases',
      output: expect.stringMatching(/^There are two Helm/),
    });
    expect(turn.startedAt).toBe('2026-02-16T10:25:34.578946Z');
    expect(turn.steps).toMatchObject([
      { type: 'model', model: 'gpt-4.1-mini', usage: { inputTokens: 1820, outputTokens: 13 } },
      { type: 'tool', name: 'helm_list_releases', id: 'call_P09kjRKHTTJA02oB9HIe4u5t', arguments: {}, outcome: 'ok' },
      { type: 'model', usage: { inputTokens: 1956, outputTokens: 117 } },
    ]);
  });

  it('sub-agents are steps with turns of their own', () => {
    const openAi = onlySession(real('strands-evals-spans/openai_agents_genai_live_spans.json'));
    expect(agentsOf(turnAt(openAi, 0).steps)).toEqual([
      { name: 'research_specialist', calls: ['lookup_stock_price'] },
      { name: 'math_specialist', calls: ['multiply_numbers', 'multiply_numbers'] },
    ]);
    const claude = real('strands-evals-spans/claude_adot_spans.json');
    expect(agentsOf(turnAt(onlySession(claude), 0).steps)).toEqual([
      { name: 'Agent', calls: ['Bash'] },
      { name: 'Agent', calls: ['Bash'] },
    ]);
    expect(claude.problems.map(({ code }) => code)).toEqual(['no-content', 'no-content']);
  });

  it('the same call in two dialects is the same turn', () => {
    const [one, other] = ['openinference', 'otel_genai'].map((dialect) => {
      const { input, output, steps } = turnAt(
        onlySession(real(`openinference/${dialect}_client_span_tool_calls.json`)),
        0,
      );
      return {
        input,
        output,
        calls: steps.flatMap((step) => (step.type === 'tool' ? [[step.name, step.arguments, step.result]] : [])),
      };
    });
    expect(one).toEqual(other);
    expect(one?.calls).toEqual([['get_weather', { location: 'Paris' }, 'rainy, 57°F']]);
  });

  it("a tool's error is the message of its span, or its type", () => {
    const errors = (path: string) =>
      real(path)
        .sessions.flatMap(({ turns }) => turns.flatMap(agentToolCalls))
        .flatMap(({ error }) => error ?? []);
    expect(errors('strands-evals-spans/otel_genai_convention_spans.json')).toEqual(['TimeoutError']);
    expect(errors('sdk-generated/vercel_ai_v5_otlp.json')).toEqual([
      'amount exceeds order total 42.50',
      expect.stringMatching(/^Model tried to call unavailable tool 'cancel_order'/),
    ]);
  });
});

describe.skipIf(root === null)("agentevals' own verdicts (needs ../shared/data)", () => {
  const trajectory = async (...paths: string[]) => {
    const { report } = await evaluateFiles(paths, { metrics: ['tool_trajectory_avg_score'] });
    expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    return report.sessions.flatMap(({ turns }) => turns.map(({ metrics }) => metrics.tool_trajectory_avg_score?.score));
  };

  it('helm.json meets the expectation of eval_set_helm.json', async () => {
    expect(await trajectory(`${root}/agentevals-otel/helm.json`, `${root}/agentevals-otel/eval_set_helm.json`)).toEqual(
      [1],
    );
  });

  it('a run that only asked a question fails the expectation', async () => {
    const expected = readFileSync(`${root}/agentevals-otel/eval_set_helm.json`, 'utf8');
    const input = expected.replace('"list all Helm releases"', '"get me all the Helm releases"');
    expect(input).not.toBe(expected);
    await using folder = await temporaryFolder({ 'eval_set.json': input });
    expect(await trajectory(`${root}/agentevals-otel/helm_2.json`, `${folder.path}/eval_set.json`)).toEqual([0]);
  });
});
