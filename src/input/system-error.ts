import { errorMessage } from '../core/error-message.ts';
/** Why the system refused, as the end of a sentence. */
export function describeSystemError(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission was denied; allow reading it';
    case 'ENOENT':
      return 'it is gone';
    case 'EISDIR':
      return 'it is a folder';
    case 'ELOOP':
      return 'its links lead in a circle';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    default: {
      const message = errorMessage(error);
      return message.replace(/[.\s]+$/, '');
    }
  }
}
