import { createContext } from 'react';

/** The search text; empty: none. */
export const FindContext = createContext('');
