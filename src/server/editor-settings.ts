import { ErrorCodes, ResponseError } from 'vscode-languageserver/node';
import * as z from 'zod/mini';
import { type ClientSettings, type InitializationSettings, initialization, settings } from '../protocol/settings.ts';

/** @throws ResponseError with a message for the user. */
export function parseInitialization(options: unknown): InitializationSettings {
  // Editors that are configured in Lua send an empty table as an empty list.
  const isNone = options === null || options === undefined || (Array.isArray(options) && options.length === 0);
  const { success, data, error } = z.safeParse(initialization, isNone ? {} : options);
  if (success) return data;
  throw new ResponseError(
    ErrorCodes.InvalidParams,
    `Invalid initialization options for Turnwise. ${describeIssues(error)}`,
  );
}

const section = z.object({ turnwise: z.unknown() });
const anyObject = z.looseObject({});

/**
 * The settings after `workspace/didChangeConfiguration`, which has them at the top or under `turnwise`. Missing keys
 * keep their values, since some editors send an empty object.
 *
 * @throws an error with a message for the log.
 */
export function mergeSettings(now: ClientSettings, { settings: raw }: { readonly settings: unknown }): ClientSettings {
  const { data: { turnwise = raw } = {} } = z.safeParse(section, raw);
  const { data: changes = {} } = z.safeParse(anyObject, turnwise);
  const { success, data, error } = z.safeParse(settings, { ...now, ...changes });
  if (success) return data;
  throw new Error(`Invalid settings were ignored. ${describeIssues(error)}`);
}

function describeIssues(error: z.core.$ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`).join('. ');
}
