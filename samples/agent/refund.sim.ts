import { scenario } from 'turnwise';

/** The shop of one attempt: what the agent's tools find, and what they change. */
function shop() {
  const orders: Record<string, { status: string; total: number }> = {
    'A-1001': { status: 'delivered', total: 42.5 },
    'A-2002': { status: 'in transit', total: 18 },
  };
  const find = (id: string) => {
    const order = orders[id];
    if (!order) throw new Error(`There is no order ${id}.`);
    return order;
  };
  return {
    tools: {
      get_order: ({ order_id }: { order_id: string }) => ({ order_id, ...find(order_id) }),
      refund_order({ order_id, amount }: { order_id: string; amount: number }) {
        const order = find(order_id);
        if (amount > order.total) throw new Error(`The order costs ${order.total} only.`);
        order.status = 'refunded';
        return { refunded: amount };
      },
      cancel_order({ order_id }: { order_id: string }) {
        find(order_id).status = 'cancelled';
        return { cancelled: true };
      },
    },
    state: () => orders,
  };
}

scenario('refund a delivered order', {
  goal: 'order A-1001 is refunded',
  turns: [
    {
      userMessage: 'Please refund order A-1001.',
      assertions: {
        toolCalls: {
          matchMode: 'strict',
          expected: [{ name: 'get_order', args: { order_id: 'A-1001' } }],
          forbidden: ['refund_order'],
        },
      },
    },
    {
      userMessage: 'Yes, please.',
      assertions: {
        toolCalls: {
          matchMode: 'strict',
          expected: [{ name: 'refund_order', args: { order_id: 'A-1001', amount: 42.5 } }],
        },
      },
    },
  ],
  mocks: shop,
  finalState: { 'A-1001': { status: 'refunded' } },
});

scenario('refuse to refund an order that is on its way', {
  goal: 'the user knows that order A-2002 cannot be refunded yet',
  turns: [
    {
      userMessage: 'Please refund order A-2002.',
      assertions: {
        toolCalls: { matchMode: 'contains', expected: [{ name: 'get_order' }], forbidden: ['refund_order'] },
        answer: { contains: ['in transit'] },
      },
    },
  ],
  mocks: shop,
});
