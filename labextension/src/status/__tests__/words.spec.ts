/** What the status bar says about a sandbox. */
import { nullTranslator } from '@jupyterlab/translation';
import { expect, it } from 'vitest';
import type { ISandbox } from '../../api/types';
import { statusText, statusTooltip } from '../words';

const trans = nullTranslator.load('');

const docker: ISandbox = {
  id: 'a',
  kernel_id: 'a',
  backend: 'docker',
  isolation: 'container',
  image: 'sandbook/base',
  state: 'running',
  notebook: '',
  workspace: '/home/me',
  started_at: '2030-01-01T12:00:00Z',
  limits: { memory_mb: null, cpus: null, pids: null }
};
const bubblewrap: ISandbox = {
  ...docker,
  backend: 'bubblewrap',
  isolation: 'namespaces',
  image: null
};
const local: ISandbox = {
  ...docker,
  backend: 'local',
  isolation: 'none',
  image: null
};

it.each([
  [docker, 'docker · sandbook/base'],
  [bubblewrap, 'bubblewrap'],
  [local, 'local · no isolation'],
  [{ ...local, image: 'some/image' }, 'local · no isolation']
])('says backend and image, or that nothing isolates', (sandbox, text) => {
  expect(statusText(sandbox, trans)).toBe(text);
});

it('warns in the tooltip only where nothing isolates', () => {
  expect(statusTooltip(local, trans)).toContain('not isolated');
  expect(statusTooltip(docker, trans)).not.toContain('not isolated');
  expect(statusTooltip(bubblewrap, trans)).not.toContain('not isolated');
});
