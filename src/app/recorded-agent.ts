import type { GitState, RecordedAgent } from '../core/run-record.ts';
import { redactSecrets } from '../core/secrets.ts';
import type { Session } from '../core/session.ts';
import { allSteps } from '../core/steps.ts';

/** A trace can name a model of its own in every call: only the first names say something. */
const MAX_MODELS = 50;
const MAX_NAMES = 2;
const MAX_LENGTH = 200;
/** Of a commit: as git shortens it in large repositories. */
const SHORT_COMMIT = 12;

/** Collects what the traces of a run say about the agent that made them. */
export class AgentObserver {
  /** Null stands for sessions that name none. */
  readonly #names = new Set<string | null>();
  readonly #versions = new Set<string | null>();
  readonly #models = new Set<string>();

  add({ task, agentVersion, turns }: Session): void {
    addUpTo(this.#names, MAX_NAMES, task?.agent || null);
    addUpTo(this.#versions, MAX_NAMES, agentVersion || null);
    for (const turn of turns) {
      for (const step of allSteps(turn)) {
        if (step.type === 'model' && step.model) addUpTo(this.#models, MAX_MODELS, step.model);
      }
    }
  }

  /** What the user says wins over the traces, and these over the commit of the project. */
  summary(option: string | null, git: GitState | null): RecordedAgent {
    return {
      name: onlyOne(this.#names),
      ...this.#version(option, git),
      models: [...this.#models].sort(),
    };
  }

  #version(option: string | null, git: GitState | null): Pick<RecordedAgent, 'version' | 'versionFrom'> {
    if (option !== null) return { version: option, versionFrom: 'option' };
    const version = onlyOne(this.#versions);
    if (version !== null) return { version, versionFrom: 'trace' };
    const isNamed = this.#versions.size > (this.#versions.has(null) ? 1 : 0);
    if (isNamed || git === null) return { version: null, versionFrom: null };
    return { version: `${git.commit.slice(0, SHORT_COMMIT)}${git.dirty ? '+changes' : ''}`, versionFrom: 'git' };
  }
}

function addUpTo<Value extends string | null>(values: Set<string | Value>, limit: number, value: Value): void {
  if (values.size < limit) values.add(typeof value === 'string' ? redactSecrets(value).slice(0, MAX_LENGTH) : value);
}

/** Null unless all sessions name one, and the same. */
function onlyOne(values: ReadonlySet<string | null>): string | null {
  const [first = null] = values;
  return values.size === 1 ? first : null;
}
