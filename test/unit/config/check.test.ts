import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../../src/config/check.ts';
import { formatKeyPath } from '../../../src/config/schema-errors.ts';
import { PROVIDER_NAMES } from '../../../src/core/model-providers.ts';
import { TEST_REGISTRY } from './test-registry.ts';

/** As messages list them. */
const PROVIDERS = PROVIDER_NAMES.map((name) => `"${name}"`);
const MODELS = [...PROVIDER_NAMES.map((name) => `"${name}:MODEL"`), '"editor:copilot/gpt-4o"'].join(' or ');

function complaints(value: unknown): string[] {
  return checkConfiguration(value, TEST_REGISTRY).issues.map(
    ({ path, message }) => `${formatKeyPath(path)} | ${message}`,
  );
}

const OPENAI = { provider: 'openai', model: 'm' };
const TURNS = { path: 'turns', input: 'q', output: 'a' };
const MESSAGES = { path: 'log', role: 'who', text: 'said' };

describe('checkConfiguration', () => {
  it('fills in defaults and converts percentages to numbers', () => {
    const { configuration } = checkConfiguration({ gates: { thresholds: { coherence: '85%' } } }, TEST_REGISTRY);
    expect(configuration).toMatchObject({
      judge: { provider: 'rules' },
      embedder: { provider: 'lexical' },
      gates: { thresholds: { coherence: 0.85 }, failOn: 'high', outcome: true, minCoverage: 1 },
      metrics: {},
    });
  });

  it('reads alerts as a list, or with a command that they run', () => {
    const alert = { metric: 'correct', direction: 'falls' };
    const whole = { ...alert, drift: false, gate: false };
    const alerts = (value: unknown) => checkConfiguration({ alerts: value }, TEST_REGISTRY).configuration?.alerts;
    expect(alerts([alert])).toEqual({ when: [whole] });
    expect(alerts({ when: [{ ...alert, for: 3 }], command: ['notify'] })).toEqual({
      when: [{ ...whole, for: 3 }],
      command: ['notify'],
    });
    expect(alerts(undefined)).toEqual({ when: [] });
  });

  it('warns of an alert on a misspelt metric', () => {
    const alerts = [{ metric: 'coherense', direction: 'falls' }];
    expect(checkConfiguration({ alerts }, TEST_REGISTRY).issues).toMatchObject([
      {
        severity: 'warning',
        message:
          'alerts[0].metric is "coherense", which is no metric, rule or failure label, and none of correct, verdict, cost, tokens, duration, turns: only imported scores can have that name. Did you mean "coherence"?',
      },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['not an object', [], 'The configuration | The configuration is a list; it must be an object.'],
    [
      'an unknown key',
      { metrcs: [] },
      'metrcs | Unknown key "metrcs". Did you mean "metrics"? Allowed keys: judge, embedder, metrics, gates, severities, alerts, rules, stateChangingTools, risk, calibrations, custom, providers, traces, scenarios, simulation, source, map, tasks, history.',
    ],
    [
      'an unknown key inside',
      { gates: { treshold: {} } },
      'gates.treshold | Unknown key "treshold" in gates. Did you mean "thresholds"? Allowed keys: thresholds, scope, failOn, outcome, minCoverage, attempts, judge, preset, for.',
    ],
    [
      'a value that is not allowed',
      { gates: { failOn: 'hgh' } },
      'gates.failOn | gates.failOn is "hgh"; it must be one of "low", "medium", "high", "critical", "never". Did you mean "high"?',
    ],
    [
      'a task pattern without a named group',
      { tasks: { by: 'run-(\\d+)' } },
      'tasks.by | tasks.by is "run-(\\\\d+)"; it must be a field, such as "metadata.task", or a regular expression that names its groups, such as "(?<task>\\w+)-(?<trial>\\d+)".',
    ],
    [
      'a task pattern with an unknown group',
      { tasks: { by: { file: '(?<tsk>x)' } } },
      'tasks.by.file | tasks.by.file is "(?<tsk>x)"; it must name its groups task, trial and agent; it has "tsk".',
    ],
    [
      'a task pattern that is none',
      { tasks: { by: { session: '(?<task>' } } },
      'tasks.by.session | tasks.by.session is "(?<task>"; it must be a regular expression: Unterminated group.',
    ],
    [
      'a task pattern that may be slow',
      { tasks: { by: '(?<task>(a+)+)' } },
      'tasks.by | tasks.by is "(?<task>(a+)+)"; it must be quick to match: begin it with "^", use few of "*" and "+", and repeat nothing that is itself repeated.',
    ],
    [
      'tasks that say nothing',
      { tasks: {} },
      'tasks | tasks is an object; it must have "by", "trial" or "agent", which say where the task of a session is found.',
    ],
    [
      'a field of the trial with a wildcard',
      { tasks: { trial: 'runs[*].id' } },
      'tasks.trial | tasks.trial is "runs[*].id"; it must be a field, such as "metadata.task", or a regular expression that names its groups, such as "(?<task>\\w+)-(?<trial>\\d+)".',
    ],
    [
      'a number out of range',
      { gates: { minCoverage: 85 } },
      'gates.minCoverage | gates.minCoverage is 85; it must be a number from 0 to 1.',
    ],
    [
      'a wrong type',
      { judge: { concurrency: 'many' } },
      'judge.concurrency | judge.concurrency is "many"; it must be a whole number, 1 or more.',
    ],
    [
      'a glob that could take minutes',
      { traces: ['runs/*.json', '*a*a*a*.json'] },
      'traces[1] | traces[1] is "*a*a*a*.json"; it must be quick to match: at most two "*" in a name, two "**" and four "{", and no "+(a)" or "{1..9}"; use several globs.',
    ],
    [
      'a list with a wrong item',
      { stateChangingTools: ['a', 3] },
      'stateChangingTools[1] | stateChangingTools[1] is 3; it must be a text that is not empty.',
    ],
    [
      'an alert with two meanings',
      { alerts: [{ metric: 'cost', direction: 'rises', for: 2, drift: true }] },
      'alerts[0] | alerts[0] is an object; an alert has either "for" or "drift".',
    ],
    [
      'an alert without a direction',
      { alerts: { when: [{ metric: 'cost' }] } },
      'alerts.when[0].direction | alerts.when[0].direction is missing; it must be one of "rises", "falls".',
    ],
    [
      'metrics of a wrong type',
      { metrics: 'coherence' },
      'metrics | metrics is "coherence"; it must be a list, or an object.',
    ],
    [
      'an unknown metric in a list',
      { metrics: ['loop_detecton'] },
      'metrics[0] | Unknown metric "loop_detecton". Did you mean "loop_detection"?',
    ],
    [
      'an unknown metric in settings',
      { metrics: { lop_detection: {} } },
      'metrics.lop_detection | Unknown metric "lop_detection". Did you mean "loop_detection"?',
    ],
    [
      'an unknown metric in a threshold',
      { gates: { thresholds: { nonsense: 1 } } },
      'gates.thresholds.nonsense | Unknown metric "nonsense".',
    ],
    [
      'a threshold that is no number',
      { gates: { thresholds: { coherence: true } } },
      'gates.thresholds.coherence | gates.thresholds.coherence is true; it must be a number, or a text such as "85%".',
    ],
    [
      'a bare 85 on a unit scale',
      { gates: { thresholds: { loop_detection: 85 } } },
      'gates.thresholds.loop_detection | gates.thresholds.loop_detection is 85, but the scale of loop_detection is 0 to 1: write 0.85 or "85%".',
    ],
    [
      'a percentage on another scale',
      { gates: { thresholds: { conversation_coherence: '85%' } } },
      'gates.thresholds.conversation_coherence | gates.thresholds.conversation_coherence is "85%", but the scale of conversation_coherence is 1 to 5: write a number on it.',
    ],
    [
      'a threshold below an open scale',
      { metrics: { tool_call_count: { threshold: -1 } } },
      'metrics.tool_call_count.threshold | metrics.tool_call_count.threshold is -1, but the scale of tool_call_count is 0 and more.',
    ],
    [
      'a threshold for labels',
      { gates: { thresholds: { agent_behavior_failure: 1 } } },
      'gates.thresholds.agent_behavior_failure | gates.thresholds.agent_behavior_failure is 1, but agent_behavior_failure answers with labels, which have no threshold; use gates.failOn.',
    ],
    [
      "Agentest's coherence",
      { gates: { thresholds: { coherence: 3.5 } } },
      'gates.thresholds.coherence | gates.thresholds.coherence is 3.5, but the scale of coherence is 0 to 1. Agentest’s coherence, on a scale of 1 to 5, is conversation_coherence here.',
    ],
    [
      'an unknown option of a metric',
      { metrics: { tool_trajectory_avg_score: { matchTyp: 'EXACT' } } },
      'metrics.tool_trajectory_avg_score.matchTyp | Unknown key "matchTyp" in metrics.tool_trajectory_avg_score. Did you mean "matchType"? Allowed keys: enabled, threshold, matchType, ignoreArgs.',
    ],
    [
      'an option of a metric that has none',
      { metrics: { coherence: { k: 3 } } },
      'metrics.coherence.k | Unknown key "k" in metrics.coherence. Allowed keys: enabled, threshold, judge.',
    ],
    [
      'a wrong option of a metric',
      { metrics: { tool_trajectory_avg_score: { matchType: 'IN-ORDR' } } },
      'metrics.tool_trajectory_avg_score.matchType | metrics.tool_trajectory_avg_score.matchType is "IN-ORDR"; it must be one of "EXACT", "IN_ORDER", "ANY_ORDER". Did you mean "IN_ORDER"?',
    ],
    [
      'a rule that does not exist',
      { rules: { 'repeated-cal': 'off' } },
      'rules.repeated-cal | There is no rule "repeated-cal". Did you mean "repeated-call"? Known: repeated-call, no-answer.',
    ],
    [
      'an unknown option of a rule',
      { rules: { 'repeated-call': { level: 'low', oftn: 2 } } },
      'rules.repeated-call.oftn | Unknown key "oftn" in rules.repeated-call. Did you mean "often"? Allowed keys: level, often.',
    ],
    [
      'an option of a rule that has none',
      { rules: { 'no-answer': { often: 2 } } },
      'rules.no-answer.often | Unknown key "often" in rules.no-answer. Allowed keys: level.',
    ],
    [
      'a wrong option of a rule',
      { rules: { 'repeated-call': { often: 'x' } } },
      'rules.repeated-call.often | rules.repeated-call.often is "x"; it must be a whole number, 1 or more.',
    ],
    [
      'a wrong level of a rule',
      { rules: { 'no-answer': 'hihg' } },
      'rules.no-answer | rules.no-answer is "hihg"; it must be one of "info", "low", "medium", "high", "critical", "off", or an object. Did you mean "high"?',
    ],
    [
      'a wrong level among the options of a rule',
      { rules: { 'no-answer': { level: 'hihg' } } },
      'rules.no-answer.level | rules.no-answer.level is "hihg"; it must be one of "info", "low", "medium", "high", "critical", "off". Did you mean "high"?',
    ],
    [
      'an option of a metric that asks no model',
      { metrics: { loop_detection: { k: 3 } } },
      'metrics.loop_detection.k | Unknown key "k" in metrics.loop_detection. Allowed keys: enabled, threshold.',
    ],
    [
      'a provider that there is not',
      { judge: { provider: 'opena', model: 'm' } },
      `judge.provider | judge.provider is "opena"; it must be one of "rules", "none", ${PROVIDERS.join(', ')}, "editor", "function". Did you mean "openai"?`,
    ],
    [
      'a name of a judge with a server',
      { judge: { provider: 'ollama', model: 'm', name: 'house' } },
      'judge.name | judge.name is set, but judge.provider is "ollama"; only a function has a name.',
    ],
    [
      'a provider with the name of a built-in one',
      { providers: { openai: () => null } },
      'providers.openai | providers.openai has the name of a built-in provider; choose another name.',
    ],
    [
      'a provider whose name cannot stand before a model',
      { providers: { 'a:b': () => null } },
      'providers.a:b | "a:b" in providers is not a name of letters, digits, ".", "_" and "-"; choose another name.',
    ],
    [
      'a server for a provider that is a function',
      { providers: { house: () => null }, judge: { provider: 'house', baseUrl: 'http://localhost:1' } },
      'judge.baseUrl | judge.baseUrl is set, but judge.provider is "house", which has no server. Make it "openai" or "ollama".',
    ],
    [
      'an invisible character in the name of a model of one metric',
      { metrics: { coherence: { judge: 'openai:gpt\u00ad5' } } },
      'metrics.coherence.judge | metrics.coherence.judge contains the invisible character U+00AD; type the name again.',
    ],
    [
      'a judge without a model',
      { judge: { provider: 'openai' } },
      'judge.provider | judge.provider is "openai", which needs the name of a model: write "openai:MODEL" on the command line, or "model" beside "provider" in the configuration.',
    ],
    [
      'an embedder without a model',
      { embedder: { provider: 'ollama' } },
      'embedder.provider | embedder.provider is "ollama", which needs the name of a model: write "ollama:MODEL" on the command line, or "model" beside "provider" in the configuration.',
    ],
    [
      'a static embedder without a folder',
      { embedder: { provider: 'static' } },
      'embedder.provider | embedder.provider is "static", which needs the folder of a model: write "static:FOLDER" on the command line, or "model" beside "provider" in the configuration.',
    ],
    [
      'a server of a static embedder',
      { embedder: { provider: 'static', model: 'models/tiny', baseUrl: 'http://localhost' } },
      `embedder.baseUrl | embedder.baseUrl is set, but embedder.provider is "static", which has no server. Make it ${PROVIDERS.join(' or ')}.`,
    ],
    [
      'the provider "function" without a function',
      { embedder: { provider: 'function' } },
      'embedder.provider | embedder.provider is "function", but "embed" is missing: a function, which only turnwise.config.ts or .js can have.',
    ],
    [
      'a function beside another provider',
      { judge: { ...OPENAI, ask: () => '{}' } },
      'judge.ask | judge.ask is set, but judge.provider is "openai"; remove one of the two.',
    ],
    [
      'a server of a function',
      { judge: { ask: () => '{}', baseUrl: 'http://localhost' } },
      `judge.baseUrl | judge.baseUrl is set, but judge.provider is "function", which has no server. Make it ${PROVIDERS.join(' or ')}.`,
    ],
    [
      'a server of a model of the editor',
      { judge: { provider: 'editor', model: 'copilot/gpt-4o', baseUrl: 'http://localhost' } },
      `judge.baseUrl | judge.baseUrl is set, but judge.provider is "editor", which has no server. Make it ${PROVIDERS.join(' or ')}.`,
    ],
    [
      'a model of the editor without its vendor',
      { judge: { provider: 'editor', model: 'gpt-4o' } },
      'judge.model | judge.model is "gpt-4o"; a model of the editor is VENDOR/FAMILY, such as "copilot/gpt-4o".',
    ],
    [
      'a judge that is no function',
      { judge: { ask: 'x' } },
      'judge.ask | judge.ask is "x"; it must be a function, which only code has.',
    ],
    [
      'a model that nobody asks',
      { judge: { model: 'gpt-5-mini' } },
      `judge.model | judge.model is set, but judge.provider is "rules" by default, which uses no model. Make it ${PROVIDERS.join(' or ')}.`,
    ],
    [
      'a URL that nobody asks',
      { embedder: { provider: 'none', baseUrl: 'http://localhost' } },
      `embedder.baseUrl | embedder.baseUrl is set, but embedder.provider is "none", which uses no model. Make it ${PROVIDERS.join(' or ')}.`,
    ],
    [
      'a base URL of no web server',
      { judge: { ...OPENAI, baseUrl: 'localhost:8000/v1' } },
      'judge.baseUrl | judge.baseUrl must be an http or https URL such as "http://localhost:8000/v1".',
    ],
    [
      'a base URL of no web server for Ollama',
      { embedder: { provider: 'ollama', model: 'm', baseUrl: 'ftp://box' } },
      'embedder.baseUrl | embedder.baseUrl must be an http or https URL such as "http://127.0.0.1:11434".',
    ],
    [
      'a base URL with a password',
      { judge: { ...OPENAI, baseUrl: 'https://me:hunter2@gateway.example/v1' } },
      'judge.baseUrl | judge.baseUrl has a user name or password in it: remove them. A key is read from TURNWISE_API_KEY in the environment.',
    ],
    [
      "OpenAI's key in the configuration",
      { judge: { ...OPENAI, apiKey: 'sk-hunter2' } },
      'judge.apiKey | judge.apiKey: do not put a key into a configuration, which others can read. Set OPENAI_API_KEY in the environment instead.',
    ],
    [
      'the key of another host in the configuration',
      { embedder: { ...OPENAI, baseUrl: 'https://gateway.example/v1', api_key: 'hunter2' } },
      'embedder.api_key | embedder.api_key: do not put a key into a configuration, which others can read. Set TURNWISE_API_KEY in the environment instead.',
    ],
    [
      'a key in a header',
      { judge: { ...OPENAI, headers: { Authorization: 'Bearer hunter2' } } },
      'judge.headers.Authorization | judge.headers.Authorization: do not put a key into a configuration, which others can read. Set OPENAI_API_KEY in the environment instead.',
    ],
    [
      'a body that would ask another model than the report says',
      { judge: { ...OPENAI, extraBody: { model: 'other' } } },
      'judge.extraBody.model | judge.extraBody.model cannot be set, because Turnwise sets it itself; write judge.model.',
    ],
    [
      "a metric's own judge that is no model",
      { metrics: { coherence: { judge: 'gpt-5' } } },
      `metrics.coherence.judge | metrics.coherence.judge is "gpt-5"; it must be ${MODELS}.`,
    ],
    [
      "a metric's own judge without its model",
      { metrics: { coherence: { judge: 'openai:' } } },
      `metrics.coherence.judge | metrics.coherence.judge is "openai:"; it must be ${MODELS}.`,
    ],
    [
      "a metric's own judge in the editor without its vendor",
      { metrics: { coherence: { judge: 'editor:gpt-4o' } } },
      `metrics.coherence.judge | metrics.coherence.judge is "editor:gpt-4o"; it must be ${MODELS}.`,
    ],
    [
      'a judge for a metric that asks none',
      { metrics: { loop_detection: { judge: 'openai:gpt-5' } } },
      'metrics.loop_detection.judge | metrics.loop_detection.judge is set, but loop_detection uses no model.',
    ],
    [
      'a mapping that says neither where turns nor where messages are',
      { map: {} },
      'map | map is an object; it must have either "messages" or "turns".',
    ],
    [
      'a mapping that says both',
      { map: { turns: TURNS, messages: MESSAGES } },
      'map | map is an object; it must have either "messages" or "turns".',
    ],
    [
      'an unknown key of a mapping',
      { map: { turns: { ...TURNS, inputs: 'x' } } },
      'map.turns.inputs | Unknown key "inputs" in map.turns. Did you mean "input"? Allowed keys: path, id, input, output, calls, startedAt, endedAt, reference.',
    ],
    [
      'an unknown key of one of several mappings',
      { map: [{ session: 'a', turns: TURNS }] },
      'map[0].session | Unknown key "session" in map[0]. Did you mean "sessions"? Allowed keys: name, sessions, groupBy, id, goal, system, tools, metadata, outcome, tags, task, messages, turns.',
    ],
    [
      'what is no path',
      { map: { turns: { ...TURNS, input: 'a[?(@.b)]' } } },
      'map.turns.input | map.turns.input is "a[?(@.b)]"; it must be names with dots, such as "a.b[0]" or "a[*].b", or a JSON pointer, such as "/a/b/0".',
    ],
    [
      'what is no path among several',
      { map: { turns: { ...TURNS, input: ['a', '/~2'] } } },
      'map.turns.input[1] | map.turns.input[1] is "/~2"; it must escape "~" as ~0 and "/" as ~1 in names of a JSON pointer.',
    ],
    [
      'what is no path among arguments',
      { map: { turns: { ...TURNS, calls: { path: 'c', name: 'n', arguments: { q: '$.q' } } } } },
      'map.turns.calls.arguments.q | map.turns.calls.arguments.q is "$.q"; it must not begin with "$": paths are relative to the value that they describe.',
    ],
    [
      'no path',
      { map: { turns: { ...TURNS, input: [] } } },
      'map.turns.input | map.turns.input is a list; it must contain a path.',
    ],
    [
      'a path that is missing',
      { map: { messages: { path: 'a', role: 'r' } } },
      'map.messages.text | map.messages.text is missing; it must be a text such as "data.turns[0]", or a list.',
    ],
    [
      'a role that is none',
      { map: { messages: { ...MESSAGES, roles: { ask: 'usr' } } } },
      'map.messages.roles.ask | map.messages.roles.ask is "usr"; it must be one of "user", "agent", "system", "tool", "call", "ignore". Did you mean "user"?',
    ],
    [
      'calls of which nothing is known',
      { map: { messages: { ...MESSAGES, roles: { did: 'call' } } } },
      'map.messages.roles | map.messages.roles is an object; it must come with "calls", which has the path of the name of a call.',
    ],
    [
      'a mapping with the name of a format',
      { map: { name: 'openai-chat', turns: TURNS } },
      'map.name | map.name is "openai-chat", which is a built-in format; choose another name.',
    ],
    [
      'mappings of one name',
      { map: [{ turns: TURNS }, { turns: TURNS }] },
      'map[1].name | map[1].name is "map", which is the name of another mapping; choose another name.',
    ],
    [
      'a source that is no code',
      { source: 'traces.ts' },
      'source | source is "traces.ts"; it must be code that yields sessions, in turnwise.config.ts.',
    ],
  ])('%s', (_, value, sentence) => {
    expect(complaints(value)).toEqual([sentence]);
    expect(checkConfiguration(value, TEST_REGISTRY).configuration).toBeNull();
  });

  it('reads the name of failOn in 0.1.0', () => {
    const failOn = (gates: object) => checkConfiguration({ gates }, TEST_REGISTRY).configuration?.gates.failOn;
    expect(failOn({ failOnErrorSeverity: 'low' })).toBe('low');
    expect(failOn({ failOnErrorSeverity: 'low', failOn: 'never' })).toBe('never');
  });

  it('reads agents, one alone or several by name, and says which one is tried', () => {
    const simulation = (own: object) =>
      checkConfiguration({ simulation: own }, TEST_REGISTRY).configuration?.simulation;
    const endpoint = 'http://localhost:3000/v1/chat/completions';
    const http = { type: 'chat_completions', endpoint, streaming: false, privateNetwork: false };
    expect(simulation({ agent: { name: 'support', endpoint } })).toMatchObject({
      agent: 'support',
      agents: { support: http },
      unmockedTools: 'error',
      maxTurns: 8,
      conversationsPerScenario: 3,
      concurrency: 20,
    });
    expect(
      simulation({ agent: 'b', agents: { a: { endpoint }, b: { type: 'replay', file: 'a.json' } } }),
    ).toMatchObject({
      agent: 'b',
      agents: { a: http, b: { type: 'replay', file: 'a.json' } },
    });
    expect(simulation({ compare: ['a', 'b', 'a'], agents: { a: { endpoint }, b: { endpoint } } })?.compare).toEqual([
      'a',
      'b',
    ]);
  });

  it.each<[string, object, RegExp]>([
    [
      'an agent that is not there',
      { agent: 'suport', agents: { support: { endpoint: 'http://a' } } },
      /is "suport", which is no agent.* Did you mean "support"\?/,
    ],
    [
      'an agent to compare that is not there',
      { compare: ['a', 'c'], agents: { a: { endpoint: 'http://a' }, b: { endpoint: 'http://b' } } },
      /simulation.compare\[1\] is "c", which is no agent. "agents" has a, b./,
    ],
    ['an agent without an endpoint', { agents: { a: {} } }, /simulation.agents.a.endpoint is missing/],
    [
      'an endpoint that is no URL',
      { agents: { a: { endpoint: 'localhost:3' } } },
      /simulation.agents.a.endpoint is .*http or https URL/,
    ],
    [
      'a handler that is no function',
      { agents: { a: { type: 'custom', handler: 3 } } },
      /simulation.agents.a.handler is 3; it must be a function/,
    ],
    ['an unknown key', { maxTurn: 3 }, /Unknown key "maxTurn" in simulation. Did you mean "maxTurns"\?/],
  ])('says what is wrong with %s', (_, simulation, message) => {
    expect(complaints({ simulation })).toEqual([expect.stringMatching(message)]);
  });

  it('accepts a function as judge or embedder and expands the short form', () => {
    const ask = () => '{}';
    const embed = () => [];
    const check = (value: unknown) => checkConfiguration(value, TEST_REGISTRY).configuration;
    const whole = { judge: { provider: 'function', ask }, embedder: { provider: 'function', embed } };
    expect(check({ judge: ask, embedder: embed })).toMatchObject(whole);
    expect(check({ judge: { ask, model: 'mine' }, embedder: { embed } })).toMatchObject(whole);
    expect(check(whole)).toMatchObject(whole);
  });

  it('accepts every key of a judge and an embedder', () => {
    const judge = {
      provider: 'openai',
      model: 'meta-llama/llama-3.3-70b:free',
      baseUrl: 'http://localhost:8000/v1',
      temperature: 0.5,
      questionsPerCall: 4,
      samples: 3,
      headers: { 'x-team': 'evals' },
      query: { 'api-version': '1' },
      extraBody: { reasoning_effort: 'low' },
      concurrency: 20,
      requestsPerMinute: 60,
      tokensPerMinute: 100_000,
      timeoutMs: 1000,
      maxCalls: 5,
      maxTokens: 5000,
      redact: false,
      structuredOutput: 'json',
      jsonFence: ['<json>', '</json>'],
      price: { input: 0.25, output: 2 },
    };
    const embedder = { provider: 'ollama', model: 'nomic-embed-text', baseUrl: 'https://box.local:11434' };
    const metrics = { coherence: { judge: 'ollama/qwen3:8b' } };
    const checked = checkConfiguration({ judge, embedder, metrics }, TEST_REGISTRY);
    expect(checked).toMatchObject({ issues: [], configuration: { judge, embedder, metrics } });
  });

  it('does not repeat passwords or keys', () => {
    const secret = /hunter2|sk-/;
    const judge = {
      provider: 'openai',
      baseUrl: 'http://me:hunter2@x',
      apiKey: 'sk-1',
      headers: { 'api-key': 'sk-2' },
    };
    expect(complaints({ judge })).toHaveLength(4);
    expect(complaints({ judge }).join()).not.toMatch(secret);
    expect(complaints({ judge: { provider: 'openai', baseUrl: 'me:hunter2@x' } }).join()).not.toMatch(secret);
  });

  it('reports an unknown failure label and lists the valid ones', () => {
    expect(complaints({ severities: { 'repeated tool cal': 'low' } })[0]).toContain(
      'Did you mean "repeated tool call"?',
    );
  });

  it('reports all errors at once', () => {
    expect(
      complaints({ metrcs: [], gates: { minCoverage: 2, thresholds: { cohrence: 1, coherence: 9 } } }),
    ).toHaveLength(4);
  });

  it.each<[string, unknown, string]>([
    ['in a list', { metrics: ['agentic'] }, 'metrics[0]'],
    ['enabled', { metrics: { agentic: { enabled: true } } }, 'metrics.agentic'],
    ['gated', { gates: { thresholds: { agentic: 0.5 } } }, 'gates.thresholds.agentic'],
  ])('requires the k of agentic if it is selected: %s', (_, value, place) => {
    expect(complaints(value)).toEqual([
      expect.stringMatching(new RegExp(`^${place.replace(/[[\].]/g, '\\$&')} \\| The metric agentic needs k`)),
    ]);
  });

  it.each([{}, { metrics: {} }, { metrics: { agentic: {} } }, { metrics: { agentic: { enabled: true, k: 3 } } }])(
    'accepts agentic if it is not selected or has its k: %j',
    (value) => expect(complaints(value)).toEqual([]),
  );

  it('checks the k of agentic', () => {
    expect(complaints({ metrics: { agentic: { k: 0 } } })).toEqual([
      'metrics.agentic.k | metrics.agentic.k is 0; it must be a whole number, 1 or more.',
    ]);
  });

  it('knows aliases of metrics', () => {
    expect(complaints({ metrics: ['tool_call_count_v1'], gates: { thresholds: { tool_call_count_v1: 3 } } })).toEqual(
      [],
    );
  });

  it('never throws, and returns a configuration only if there are no errors', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ metrics: fc.jsonValue(), gates: fc.jsonValue() })), (value) => {
        const { configuration, issues: all } = checkConfiguration(value, TEST_REGISTRY);
        expect(configuration === null).toBe(all.some(({ severity }) => severity === 'error'));
      }),
    );
  });
});
