import { describe, expect, it } from 'vitest';
import { AgentObserver } from '../../../src/app/recorded-agent.ts';
import type { Session } from '../../../src/core/session.ts';

const session = (agentVersion?: string, agent?: string): Session => ({
  id: 's',
  source: { file: 'a.json', format: 'turnwise', pointer: '' },
  turns: [],
  ...(agentVersion === undefined ? {} : { agentVersion }),
  ...(agent === undefined ? {} : { task: { id: '1', agent } }),
});

const agentOf = (sessions: readonly Session[], option: string | null = null, hasCommit = false) => {
  const observer = new AgentObserver();
  for (const one of sessions) observer.add(one);
  return observer.summary(option, hasCommit ? { commit: '0123456789abcdef', branch: 'main', dirty: false } : null);
};

const NO_VERSION = { version: null, versionFrom: null };

describe('the agent of a run', () => {
  it('is what all of its sessions name', () => {
    const sessions = [session('1.4', 'shop'), session('1.4', 'shop')];
    expect(agentOf(sessions)).toMatchObject({ name: 'shop', version: '1.4', versionFrom: 'trace' });
  });

  it('has no version where one session names one and the others none', () => {
    expect(agentOf([session('2.1.17'), session()])).toMatchObject(NO_VERSION);
    expect(agentOf([session(), session('2.1.17')], null, true)).toMatchObject(NO_VERSION);
  });

  it('has no name where one session names one and the others none', () => {
    expect(agentOf([session('1.4', 'shop'), session('1.4')])).toMatchObject({ name: null, version: '1.4' });
  });

  it('has neither where sessions name several', () => {
    const sessions = [session('1.4', 'shop'), session('1.5', 'bank')];
    expect(agentOf(sessions, null, true)).toMatchObject({ name: null, ...NO_VERSION });
  });

  it('has the version that the user gave, whatever its sessions name', () => {
    expect(agentOf([session('2.1.17'), session()], '7')).toMatchObject({ version: '7', versionFrom: 'option' });
  });

  it('has the commit of the project as version where no session names one', () => {
    expect(agentOf([session(), session()], null, true)).toMatchObject({ version: '0123456789ab', versionFrom: 'git' });
  });
});
