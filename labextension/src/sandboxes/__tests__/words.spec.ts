/** Facts and the words for them. */
import { ServerConnection } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';
import { describe, expect, it } from 'vitest';
import type { ILimits } from '../../api/types';
import {
  limitsInWords,
  nameOf,
  problemFromError,
  uptimeInWords
} from '../words';
import { exampleSandbox } from './examples';

const trans = nullTranslator.load('');

describe('nameOf', () => {
  it.each([
    ['work/deep/analysis.ipynb', 'analysis.ipynb'],
    ['analysis.ipynb', 'analysis.ipynb'],
    ['', 'No notebook']
  ])('calls the sandbox of %j %s', (notebook, name) => {
    expect(nameOf(exampleSandbox('a', { notebook }), trans)).toBe(name);
  });
});

describe('limitsInWords', () => {
  const none: ILimits = { memory_mb: null, cpus: null, pids: null };

  it.each<[Partial<ILimits>, string]>([
    [
      { memory_mb: 2048, cpus: 2, pids: 512 },
      '2 GB memory · 2 CPUs · 512 processes'
    ],
    [{ memory_mb: 512, cpus: 1, pids: 1 }, '512 MB memory · 1 CPU · 1 process'],
    [{ memory_mb: 1536 }, '1.5 GB memory'],
    [{ cpus: 0.5 }, '0.5 CPUs'],
    [{}, 'No limits']
  ])('says %j as %s', (limits, words) => {
    expect(limitsInWords({ ...none, ...limits }, trans)).toBe(words);
  });
});

describe('uptimeInWords', () => {
  const start = '2030-01-01T12:00:00Z';
  const [minute, hour, day] = [60, 3600, 86400];

  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [minute, '1 min'],
    [3 * minute + 59, '3 min'],
    [hour, '1 h 0 min'],
    [2 * hour + 5 * minute, '2 h 5 min'],
    [3 * day + 4 * hour, '3 d 4 h'],
    [-30, '0 s']
  ])('says %i seconds as %s', (seconds, words) => {
    const now = Date.parse(start) + seconds * 1000;

    expect(uptimeInWords(start, now, trans)).toBe(words);
  });

  it('says nothing about a start that is no time', () => {
    expect(uptimeInWords('', 0, trans)).toBe('');
  });
});

describe('problemFromError', () => {
  const refusal = (status: number) =>
    new ServerConnection.ResponseError(new Response(null, { status }), 'Oops');

  it.each([
    [new ServerConnection.NetworkError(new TypeError()), /does not answer/],
    [refusal(404), /does not know Sandbook/],
    [refusal(403), /does not let you/],
    [refusal(500), /could not list/]
  ])('explains %s', (error, what) => {
    expect(problemFromError(error, trans).what).toMatch(what);
  });

  it('passes on what the server said', () => {
    expect(problemFromError(refusal(500), trans).advice).toContain('Oops');
  });
});
