import { get, getArray, getId, getNumber, getObject, getString } from '../../core/json.ts';
import { chatFormat } from '../chat/chat-format.ts';
import { isMagenticOne, magenticOneMessages } from '../chat/messages/magentic-one.ts';
import type { Format } from '../format.ts';
import { mostly, sample } from '../records.ts';

/** Formats of benchmark data. Detection is cheap; readers are imported when a document of the format is read. */

export const toolBench: Format = {
  name: 'toolbench',
  title: 'ToolBench answer',
  description: 'An answer of ToolBench, {win, tree, answer_generation}, or a list of them',

  detect({ value }) {
    return mostly(sample(value), isToolBenchAnswer)
      ? 'a `tree` of thoughts and actions with its `answer_generation`'
      : null;
  },

  async read(document) {
    const { readToolBench } = await import('./toolbench.ts');
    return readToolBench(document);
  },
};

function isToolBenchAnswer(value: unknown): boolean {
  const generation = getObject(value, 'answer_generation');
  return (
    generation !== undefined &&
    (getString(generation, 'query') !== undefined || getArray(generation, 'function') !== undefined) &&
    getArray(getObject(getObject(value, 'tree'), 'tree'), 'children') !== undefined
  );
}

export const tauBench: Format = {
  name: 'tau-bench',
  title: 'tau-bench results',
  description: 'The results file of a tau-bench run: [{task_id, trial, reward, info, traj}]',

  detect({ value }) {
    return mostly(sample(value), isTauBenchRun) ? 'a run with `traj` and `reward`, or a list of them' : null;
  },

  async read(document) {
    const { readTauBench } = await import('./tau-bench.ts');
    return readTauBench(document);
  },
};

function isTauBenchRun(value: unknown): boolean {
  const messages = getArray(value, 'traj');
  if (!messages || getNumber(value, 'reward') === undefined || getId(value, 'task_id') === undefined) return false;
  return messages.length === 0 || typeof get(messages[0], 'role') === 'string';
}

export const tau2Bench: Format = {
  name: 'tau2-bench',
  title: 'tau2-bench results',
  description: 'The results file of a tau2-bench run: {info, tasks, simulations}',

  detect({ value }) {
    const described = getObject(value, 'info') && getArray(value, 'tasks');
    const simulations = getArray(value, 'simulations');
    if (!described || !simulations) return null;
    return mostly(sample(simulations), isSimulation) ? 'an object with `info`, `tasks` and `simulations`' : null;
  },

  async read(document) {
    const { readTau2Bench } = await import('./tau2-bench.ts');
    return readTau2Bench(document);
  },
};

function isSimulation(value: unknown): boolean {
  if (getId(value, 'task_id') === undefined) return false;
  const messages = getArray(value, 'messages');
  if (!messages) return getArray(value, 'ticks') !== undefined;
  return messages.length === 0 || typeof get(messages[0], 'role') === 'string';
}

export const inspectAi: Format = {
  name: 'inspect-ai',
  title: 'Inspect AI log',
  description: 'An evaluation log of Inspect AI, .eval or .json',

  detect({ value }) {
    const spec = getObject(value, 'eval');
    if (getNumber(value, 'version') === undefined || getString(spec, 'task') === undefined) return null;
    if (getString(spec, 'model') === undefined || getString(value, 'status') === undefined) return null;
    const samples = getArray(value, 'samples');
    if (samples && samples.length > 0 && !mostly(sample(samples), isInspectSample)) return null;
    return 'a `version`, an `eval` with `task` and `model`, and `samples` with messages';
  },

  async read(document) {
    const { readInspectAi } = await import('./inspect-ai.ts');
    return readInspectAi(document);
  },
};

function isInspectSample(value: unknown): boolean {
  return getId(value, 'id') !== undefined && getArray(value, 'messages') !== undefined;
}

export const whoAndWhen: Format = {
  name: 'who-and-when',
  title: 'Who&When run',
  description: 'A run of the Who&When data, {question, history, mistake_agent, mistake_step}, or a list of them',

  detect({ value }) {
    return mostly(sample(value), isWhoAndWhenRun)
      ? 'a run with a `history`, a `mistake_agent` and a `mistake_step`'
      : null;
  },

  async read(document) {
    const { readWhoAndWhen } = await import('./who-and-when.ts');
    return readWhoAndWhen(document);
  },
};

function isWhoAndWhenRun(value: unknown): boolean {
  const history = getArray(value, 'history');
  if (!history || getId(value, 'mistake_step') === undefined || getString(value, 'mistake_agent') === undefined) {
    return false;
  }
  return history.length === 0 || mostly(sample(history, 40), (message) => typeof get(message, 'role') === 'string');
}

export const trail: Format = {
  name: 'trail',
  title: 'TRAIL trace',
  description: 'A trace of the TRAIL benchmark: {trace_id, spans} with `child_spans`',
  joins: 'session-id',

  detect({ value }) {
    return mostly(sample(value), isTrailTrace) ? 'a `trace_id` and `spans` with `child_spans`' : null;
  },

  async read(document) {
    const { readTrail } = await import('./trail.ts');
    return readTrail(document);
  },
};

function isTrailTrace(value: unknown): boolean {
  const spans = getArray(value, 'spans');
  return typeof get(value, 'trace_id') === 'string' && spans !== undefined && mostly(sample(spans), isTrailSpan);
}

function isTrailSpan(value: unknown): boolean {
  return typeof get(value, 'span_id') === 'string' && Array.isArray(get(value, 'child_spans'));
}

/** Logs of Magentic-One teams. A list of messages is one session. */
export const magenticOne = chatFormat({
  name: 'magentic-one',
  title: 'Magentic-One log',
  description: 'Messages of the agents of a Magentic-One team: [{role: "Orchestrator (-> WebSurfer)", content}]',
  dialect: { fits: isMagenticOne, read: magenticOneMessages },
  messageNoun: 'Magentic-One messages',
});
