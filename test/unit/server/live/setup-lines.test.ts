import { expect, it } from 'vitest';
import { setupLines } from '../../../../src/server/live/setup-lines.ts';

it('writes variables for the shell of the system', () => {
  expect(setupLines(4319, 'linux').split('\n')).toEqual([
    'export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4319',
    'export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    'export OTEL_BSP_SCHEDULE_DELAY=500',
    '',
  ]);
  expect(setupLines(4319, 'win32').split('\n')).toEqual([
    '$env:OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4319"',
    '$env:OTEL_EXPORTER_OTLP_PROTOCOL = "http/protobuf"',
    '$env:OTEL_BSP_SCHEDULE_DELAY = "500"',
    '',
  ]);
});
