import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings, type RuleSettings } from '../../../../src/rules/index.ts';
import { DIGITS, randomText } from '../../../support/random-text.ts';
import { sessionsOfTraceFolders } from '../public-data.ts';
import { ok, onlyRule, session } from '../session-builder.ts';
import { cardNumber, grouped, iban } from './personal-data-samples.ts';

const ID = 'personal-data-in-answer';
const DIGITS_OF_CARD = cardNumber(1, '4');
const CARD = grouped(DIGITS_OF_CARD, ' ');
const ACCOUNT = iban('DE', randomText(3, 18, DIGITS));
const profile = ok('get_user', { user_id: 'u1' }, { name: 'Sara Doe', card: CARD, iban: ACCOUNT, ssn: '536-22-8726' });

function findings(of: Session, settings: RuleSettings = onlyRule(ID)) {
  return collectFindings(of, { settings }).map(({ severity, message, evidence }) => ({
    severity,
    message,
    pointers: evidence.map(({ pointer }) => pointer),
  }));
}

function answering(agent: string, user = 'Which card do you have of me?', steps = [profile]) {
  return session([{ user, steps, agent }]);
}

describe('personal-data-in-answer', () => {
  it('names the data and its origin without repeating it, and cites both', () => {
    expect(findings(answering(`We have ${CARD}.`))).toEqual([
      {
        severity: 'medium',
        message: `The answer shows a card number (\`${CARD.slice(0, 4)}…\`, 19 characters, returned by \`get_user\` in turn 1).`,
        pointers: ['/turns/0/output', '/turns/0/steps/0/result'],
      },
    ]);
    expect(findings(answering('Your SSN is 536-22-8726.'))).toMatchObject([
      { severity: 'medium', message: expect.stringContaining('a social security number (`53…`, 11 characters') },
    ]);
  });

  it.each([
    ['an IBAN, which may be that of a company', answering(`Please pay to ${ACCOUNT}.`)],
    ['a number that comes from nowhere', answering(`Try ${CARD}.`, 'Give me a card number.', [])],
    [
      'a card that was made for the user',
      answering(`Your new card is ${CARD}.`, 'I need a card.', [ok('create_card', {}, { number: CARD })]),
    ],
  ])('only observes %s', (_, mentioned) => {
    expect(findings(mentioned)).toMatchObject([{ severity: 'info' }]);
  });

  it.each([
    ['the last four digits', `Your card ending in ${CARD.slice(-4)}.`],
    ['a masked number', `Your card **** **** **** ${CARD.slice(-4)}.`],
    // Shapes of real answers in customer service.
    ['the data of a profile', 'Sara Doe, sara.doe1234@example.com, 123 Main St, Denver, CO 80279, born 1985-04-12.'],
    ['the means of payment', 'I will use credit_card_9513926 and certificate_2613019, and $255 of gift_card_7480005.'],
    ['the items of an order', 'Order #W2378156: items 1151293680 and 4983901480, paid by credit card 9513926.'],
  ])('ignores %s', (_, answer) => {
    expect(findings(answering(answer))).toEqual([]);
  });

  it('ignores data that the user had given, in any grouping', () => {
    fc.assert(
      fc.property(fc.constantFrom('', ' ', '-', '. '), fc.constantFrom(CARD, DIGITS_OF_CARD), (separator, text) => {
        const user = `My card is ${grouped(DIGITS_OF_CARD, separator)}`;
        expect(findings(answering(`Your card is ${text}.`, user))).toEqual([]);
        expect(findings(answering(`Your card is ${text}.`, `${user.slice(0, -1)}`))).toHaveLength(1);
      }),
    );
  });

  it('ignores an IBAN that the user had written in lower case', () => {
    expect(findings(answering(`Pay from ${ACCOUNT}.`, `I pay from ${ACCOUNT.toLowerCase()}`))).toEqual([]);
  });

  it('repeats no more than four characters of a number, in messages and notes', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.boolean(), (seed, isRead) => {
        const number = cardNumber(seed, '51');
        const steps = isRead ? [ok('get_card', {}, number)] : [];
        const [leak] = collectFindings(answering(`The card is ${number}.`, 'Which?', steps), {
          settings: onlyRule(ID),
        });
        const message = [leak?.message, ...(leak?.evidence ?? []).map(({ note }) => note)].join('\n');
        expect(message).toContain(number.slice(0, 4));
        for (let at = 0; at + 5 <= number.length; at += 1) expect(message).not.toContain(number.slice(at, at + 5));
      }),
      { seed: 5 },
    );
  });

  it('checks the configured kinds', () => {
    const both = answering(`Card ${CARD}, account ${ACCOUNT}.`);
    expect(findings(both)).toHaveLength(2);
    expect(findings(both, { ...onlyRule(ID), [ID]: { kinds: ['IBAN'] } })).toMatchObject([{ severity: 'info' }]);
    expect(findings(both, { ...onlyRule(ID), [ID]: { kinds: [] } })).toEqual([]);
  });
});

const shared = sessionsOfTraceFolders();

// Needs the public traces beside the repository: customer service, where data is read back all the time, among them.
describe.skipIf(!shared)('personal-data-in-answer, on real traces', () => {
  it('does not report ids and data read back to its owner', async () => {
    const sessions = (await shared?.()) ?? [];
    expect(sessions.length).toBeGreaterThan(200);
    expect(sessions.flatMap((session) => findings(session))).toEqual([]);
  });
});
