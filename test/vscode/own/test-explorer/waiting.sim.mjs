import { scenario } from 'turnwise';

scenario('wait for a minute', { turns: [{ userMessage: 'Please wait.' }] });
