import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import { evidencePointers, findingIds, findingMessages, ok, onlyRule, session, tool } from '../session-builder.ts';

const ALONE = onlyRule('unverified-claim');
const TOOLS = [tool('get_ferry_status'), tool('search_ferry'), tool('get_user'), tool('issue_voucher')];
const VOUCHER = ok('issue_voucher', { user_id: 'mia_12', value: 50 });
const USER = ok('get_user', { user_id: 'mia_12' }, { id: 'mia_12', tier: 'gold' });

function claimed(user: string, { before = [USER], calls = [VOUCHER], tools = TOOLS } = {}) {
  return session(
    [
      { user, steps: before, agent: 'I am sorry! I can give you a voucher of 50 dollars.' },
      { user: 'Yes, please.', steps: calls, agent: 'Here it is.' },
    ],
    tools,
  );
}

const CLAIM = 'Hello, I am mia_12 and my ferry was delayed. I want compensation.';

describe('unverified-claim', () => {
  it('reports a compensation for what the user only said, with the call and the words', () => {
    expect(findingMessages(claimed(CLAIM), ALONE)).toEqual([
      'The user said "my ferry was delayed", and `issue_voucher` was called without a look-up by `get_ferry_status`.',
    ]);
    expect(evidencePointers(claimed(CLAIM), ALONE)).toEqual(['/turns/1/steps/0', '/turns/0/input']);
    expect(collectFindings(claimed(CLAIM), { settings: ALONE })).toMatchObject([
      { severity: 'info', calls: ['/turns/1/steps/0'] },
    ]);
  });

  it.each([
    ['that names the thing', ok('rebook_ferry', { ferry: 'F1' })],
    ['that cancels', ok('cancel_trip', { trip_id: 'T1' })],
  ])('reports a change %s', (_, call) => {
    expect(findingIds(claimed(CLAIM, { calls: [call] }), ALONE)).toEqual(['unverified-claim@1']);
  });

  it('knows a tool that is only called later', () => {
    const calls = [VOUCHER, ok('get_ferry_status', { ferry: 'F1' })];
    expect(findingIds(claimed(CLAIM, { calls, tools: [] }), ALONE)).toEqual(['unverified-claim@1']);
    expect(findingIds(claimed(CLAIM, { tools: [] }), ALONE)).toEqual([]);
  });

  it('reports a claim once, and each of several', () => {
    expect(findingIds(claimed(`${CLAIM} My ferry was delayed!`), ALONE)).toEqual(['unverified-claim@1']);
    expect(findingIds(claimed(`${CLAIM} The ferry was cancelled in the end.`), ALONE)).toHaveLength(2);
  });

  it('reports a claim that the user repeats after the change', () => {
    const { turns, ...rest } = claimed(CLAIM);
    const [thanks] = session([{ user: 'As I said, my ferry was delayed.', agent: 'I am sorry.' }]).turns;
    expect(findingIds({ ...rest, turns: thanks ? [...turns, thanks] : [] }, ALONE)).toEqual(['unverified-claim@1']);
  });

  it.each([
    ['the tool was called', CLAIM, { before: [ok('get_ferry_status', { ferry: 'F1' }, { status: 'on time' })] }],
    ['a result mentions the state', CLAIM, { before: [ok('get_user', {}, { notes: ['delay of F1'] })] }],
    ['only a search could tell', CLAIM, { tools: [tool('search_ferry')] }],
    ['the change is about something else', CLAIM, { calls: [ok('update_address', { city: 'Ghent' })] }],
    ['the user asks', 'Is it true that my ferry was delayed?', {}],
    ['the user speaks of a case', 'What do I get if my ferry was delayed.', {}],
    ['the user speaks of something else', 'My luggage was damaged.', {}],
  ])('is silent if %s', (_, user, options) => {
    expect(findingIds(claimed(user, options), ALONE)).toEqual([]);
  });
});
