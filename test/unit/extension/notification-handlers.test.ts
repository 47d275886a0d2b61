import { expect, it } from 'vitest';
import { NotificationHandlers } from '../../../src/extension/notification-handlers.ts';

it('tells all handlers of a notification, of a connection that keeps one of each', () => {
  const handlers = new NotificationHandlers();
  const told: string[] = [];
  handlers.onNotification('changed', (params) => told.push(`first ${params}`));
  handlers.onNotification('changed', (params) => told.push(`second ${params}`));
  handlers.onNotification('moved', (params) => told.push(`moved ${params}`));
  const connection = new Map<string, (params: unknown) => void>();
  handlers.connect({ onNotification: (method, handler) => connection.set(method, handler) });
  connection.get('changed')?.('a');
  connection.get('moved')?.('b');
  expect(told).toEqual(['first a', 'second a', 'moved b']);
});
