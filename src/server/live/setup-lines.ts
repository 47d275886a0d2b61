import { endpointLine } from '../../receiver/endpoint.ts';

/** The variables that make an OpenTelemetry exporter send its traces here soon, as lines for the shell of an agent. */
export function setupLines(port: number, platform: NodeJS.Platform = process.platform): string {
  const variables = [endpointLine(port), 'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf', 'OTEL_BSP_SCHEDULE_DELAY=500'];
  const lines = variables.map((variable) => {
    if (platform !== 'win32') return `export ${variable}`;
    const [name, value] = variable.split('=');
    return `$env:${name} = "${value}"`;
  });
  return `${lines.join('\n')}\n`;
}
