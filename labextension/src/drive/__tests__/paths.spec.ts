/** Paths of the drive. */
import { nullTranslator } from '@jupyterlab/translation';
import { expect, it } from 'vitest';
import { exampleSandbox } from '../../sandboxes/__tests__/examples';
import { folderName } from '../names';
import { drivePath, modelInDrive, placeOf, workspaceOf } from '../paths';

const trans = nullTranslator.load('sandbook');

it.each([
  ['', null],
  ['a', { sandboxId: 'a', path: '' }],
  ['a/etc/hosts', { sandboxId: 'a', path: 'etc/hosts' }]
])('finds the sandbox of %j', (localPath, place) => {
  expect(placeOf(localPath)).toEqual(place);
});

it.each([
  ['/workspace/a.py', 'sandbook:a/workspace/a.py'],
  ['/a: b/ü#?%.txt', 'sandbook:a/a: b/ü#?%.txt'],
  ['/../../b/secret', 'sandbook:a/b/secret']
])('puts %j into its sandbox', (path, expected) => {
  expect(drivePath('a', path)).toBe(expected);
});

it('knows the workspace as the sandbox sees it', () => {
  const local = exampleSandbox('a', { backend: 'local', workspace: '/home/x' });

  expect(workspaceOf(exampleSandbox('a'))).toBe('/workspace');
  expect(workspaceOf(local)).toBe('/home/x');
});

it('moves a folder and what is in it below its sandbox', () => {
  const folder = {
    path: 'workspace',
    type: 'directory',
    content: [{ path: 'workspace/a.py', type: 'file', content: 'x' }]
  };

  expect(modelInDrive('a', folder)).toEqual({
    path: 'a/workspace',
    type: 'directory',
    content: [{ path: 'a/workspace/a.py', type: 'file', content: 'x' }]
  });
});

it('calls a sandbox after its notebook, and tells namesakes apart', () => {
  const first = exampleSandbox('11111111-1', { notebook: 'x/one.ipynb' });
  const second = exampleSandbox('22222222-2', { notebook: 'y/one.ipynb' });
  const third = exampleSandbox('33333333-3', { notebook: '' });

  expect(folderName(first, [first, third], trans)).toBe('one.ipynb');
  expect(folderName(first, [first, second], trans)).toBe(
    'one.ipynb · 11111111'
  );
  expect(folderName(third, [third], trans)).toContain('33333333');
});
