import { PositionEncodingKind } from 'vscode-languageserver/node';
import type { Feature } from './context.ts';

/** Positions count UTF-16 code units, which every editor must support; no other unit is offered. */
export const encoding: Feature = () => ({ positionEncoding: PositionEncodingKind.UTF16 });
