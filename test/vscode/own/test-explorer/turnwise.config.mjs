/** An agent that does what its user says: looks up an order, waits, or breaks. */
async function handler(messages, { resolveTool }) {
  const request = messages.findLast(({ role }) => role === 'user').content;
  if (request.includes('wait')) await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (request.includes('break')) throw new Error('The shop is closed.');
  const [, order] = /get_order (\S+)\./.exec(request) ?? [];
  if (order) await resolveTool('get_order', { order_id: order });
  return { role: 'assistant', content: 'Order A-1001 is on its way.' };
}

// biome-ignore lint/style/noDefaultExport: a configuration is one
export default {
  simulation: {
    agent: 'shop',
    agents: {
      shop: { type: 'custom', handler },
      other: { type: 'custom', handler },
      remote: { endpoint: 'http://127.0.0.1:9/v1/chat/completions' },
    },
  },
};
