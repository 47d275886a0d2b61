import { scenario } from 'turnwise';

const mocks = {
  tools: {
    get_order({ order_id }) {
      // biome-ignore lint/suspicious/noConsole: what scenarios print is part of the test
      console.log(`looked up ${order_id}`);
      return { order_id, status: 'in transit' };
    },
  },
};
const expected = [{ name: 'get_order', args: { order_id: 'A-1001' } }];
const assertions = { toolCalls: { matchMode: 'contains', expected } };

scenario('find an order', {
  turns: [{ userMessage: 'Please get_order A-1001.', assertions }],
  mocks,
});

scenario('find the right order', {
  turns: [{ userMessage: 'Please get_order A-2002.', assertions }],
  mocks,
});

scenario('reach a broken agent', {
  turns: [{ userMessage: 'Please break.', assertions }],
  mocks,
});

scenario('find an order three times', {
  conversationsPerScenario: 3,
  turns: [{ userMessage: 'Please get_order A-1001.', assertions }],
  mocks,
});
