import { createContext } from 'react';

/** What the person looks for in the transcript; empty: nothing. */
export const FindContext = createContext('');
