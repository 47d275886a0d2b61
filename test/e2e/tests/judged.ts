import assert from 'node:assert/strict';
import { type StubModels, startStubModels } from '../../support/stub-models.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import { judgeOf } from '../judge.ts';
import { talk } from '../traces.ts';
import { configured, type Files, type UserTests, withServer } from '../window-tests.ts';

const TURNS = 12;

/** What a user sees while a slow judge answers. */
export const judgedTests: UserTests = {
  'shows results turn by turn without moving the turn that is being read': withServer(
    slowJudge,
    talkFiles,
    async (window, judge) => {
      await window.evaluate('talk.json');
      const report = await window.openReport('talk');
      await report.getByText(`0 of ${TURNS} turns`, { exact: true }).waitFor();
      judge.answer(4);
      const turn = report.getByRole('article', { name: 'Turn 4' });
      await turn.getByText('Answer 4').waitFor();
      // The user reads turn 4 while results arrive above and below it.
      await report.getByRole('button', { name: /^Turn 4,/ }).click();
      const top = (await turn.boundingBox())?.y;
      for (const [index, other] of [1, 5, 2, 3].entries()) {
        judge.answer(other);
        await report.getByText(`${index + 2} of ${TURNS} turns`, { exact: true }).waitFor();
        await report
          .getByRole('article', { name: `Turn ${other}`, exact: true })
          .getByText(`Answer ${other}`)
          .waitFor();
        assert.equal((await turn.boundingBox())?.y, top, `when turn ${other} has arrived`);
      }
      for (let other = 6; other <= TURNS; other += 1) judge.answer(other);
      await report.getByRole('button', { name: 'Evaluate Again' }).waitFor();

      const score = turn.getByRole('button', { name: /^helpfulness/ });
      if ((await score.count()) === 0) await turn.getByRole('button', { name: /more score/ }).click();
      if ((await score.getAttribute('aria-expanded')) === 'false') await score.click();
      await turn.getByRole('button', { name: 'Show Prompt' }).click();
      const prompt = report.getByRole('dialog');
      await prompt.getByText('Question 4: what is in box D?').first().waitFor();
      await window.page.keyboard.press('Escape');
      await prompt.waitFor({ state: 'detached' });
    },
  ),

  'a session whose problems arrive after its row shows them without a click': withServer(
    slowJudge,
    ({ stub }) => configured({ metrics: ['helpfulness', 'step_efficiency'], judge: judgeOf(stub) }),
    async (window, judge) => {
      await window.evaluate('refund.json');
      await window.result(/^refund\.json, evaluating: /).waitFor();
      judge.answerAll();
      await window.result(/^Turn 2, Failed call repeated unchanged/).waitFor();
    },
  ),

  'stops an evaluation in the report and keeps its partial results': withServer(
    slowJudge,
    talkFiles,
    async (window, judge) => {
      await window.evaluate('talk.json');
      const report = await window.openReport('talk');
      judge.answer(1);
      await report.getByText(`1 of ${TURNS} turns`, { exact: true }).waitFor();
      await report.getByRole('button', { name: 'Stop Evaluation' }).click();
      await report.getByText(/^Evaluation stopped\./).waitFor();
      await report.getByText('The evaluation was stopped. Partial results are shown.').waitFor();
      const ends = await Promise.all(
        judge.stub.requests.map(({ over }) => withTimeout(5000, 'the requests to end', over)),
      );
      assert.equal(ends.filter((end) => end === 'answered').length, 1);
    },
  ),
};

function talkFiles({ stub }: SlowJudge): Files {
  return { 'talk.json': talk(TURNS), ...configured({ metrics: ['helpfulness'], judge: judgeOf(stub) }) };
}

interface SlowJudge extends AsyncDisposable {
  readonly stub: StubModels;
  /** Lets the judge answer the question about this turn, now or when it is asked. */
  answer(turn: number): void;
  answerAll(): void;
}

/** A judge that answers a question only when the test allows it: about a turn of `talk`, or about another trace. */
async function slowJudge(): Promise<SlowJudge> {
  const turns = Array.from({ length: TURNS }, () => Promise.withResolvers<void>());
  const all = Promise.withResolvers<void>();
  const stub = await startStubModels(async ({ prompt }) => {
    // The prompt quotes earlier turns too; its question is about the last.
    const quoted = Array.from(prompt.matchAll(/Question (\d+):/g), ([, turn]) => Number(turn));
    await (turns[Math.max(...quoted) - 1] ?? all).promise;
    return undefined;
  });
  return {
    stub,
    answer: (turn) => turns[turn - 1]?.resolve(),
    answerAll: () => all.resolve(),
    [Symbol.asyncDispose]: () => stub.stop(),
  };
}
