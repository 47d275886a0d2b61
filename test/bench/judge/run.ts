/**
 * `npm run bench:judge -- --judge openai:MODEL`: asks a model about the same sessions twice, with questions packed and each
 * on its own, and writes how far it says the same to `docs/agreement.md`.
 */
import { benchJudge } from './measure.ts';

// Paths are the user's, who may have called npm in another folder.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
process.exitCode = await benchJudge(process.argv.slice(2), { env: process.env, print: console.log });
