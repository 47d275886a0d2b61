import { describe, expect, it } from 'vitest';
import { dataFolder, type Environment } from '../../../src/store/home.ts';

describe('dataFolder', () => {
  it.each<[NodeJS.Platform, Environment, string, string]>([
    ['linux', {}, '/home/ann', '/home/ann/.local/share/turnwise'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/home/ann', '/data/turnwise'],
    ['linux', { XDG_DATA_HOME: 'data' }, '/home/ann', '/home/ann/.local/share/turnwise'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/ann', '/home/ann/.local/share/turnwise'],
    ['freebsd', {}, '/home/ann', '/home/ann/.local/share/turnwise'],
    ['darwin', { XDG_DATA_HOME: '/data' }, '/Users/ann', '/Users/ann/Library/Application Support/Turnwise'],
    ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\ann', 'D:\\Local\\Turnwise'],
    ['win32', {}, 'C:\\Users\\ann', 'C:\\Users\\ann\\AppData\\Local\\Turnwise'],
    ['linux', { TURNWISE_HOME: '/elsewhere', XDG_DATA_HOME: '/data' }, '/home/ann', '/elsewhere'],
    ['darwin', { TURNWISE_HOME: '/elsewhere' }, '/Users/ann', '/elsewhere'],
    ['win32', { TURNWISE_HOME: 'E:\\turnwise', LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\ann', 'E:\\turnwise'],
    ['linux', { TURNWISE_HOME: '' }, '/home/ann', '/home/ann/.local/share/turnwise'],
  ])('%s %j', (platform, env, home, folder) => {
    expect(dataFolder(env, platform, home)).toBe(folder);
  });
});
