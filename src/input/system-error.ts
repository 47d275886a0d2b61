import { errorMessage } from '../core/error-message.ts';
import { trimEnd } from '../core/text/trim-end.ts';
/** The cause of a file system error, as a clause. */
export function describeSystemError(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOENT':
      return 'it no longer exists';
    case 'EISDIR':
      return 'it is a folder';
    case 'ELOOP':
      return 'its links form a cycle';
    case 'EEXIST':
      return 'it already exists';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'there is no space left on the disk';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    default: {
      const message = errorMessage(error);
      return trimEnd(message, /[.\s]/);
    }
  }
}
