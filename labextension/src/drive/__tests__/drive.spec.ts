/** The drive against a fake network; the real one is met in tests/ui. */
import { ContentsManager, ServerConnection } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';
import { expect, it, vi } from 'vitest';
import { exampleSandbox } from '../../sandboxes/__tests__/examples';
import { SandboxDrive } from '../drive';

const MODEL = {
  name: 'a.py',
  path: 'workspace/a.py',
  type: 'file',
  writable: true,
  created: '2030-01-01T12:00:00Z',
  last_modified: '2030-01-01T12:00:00Z',
  mimetype: 'text/x-python',
  format: 'text',
  content: 'x'
};

/** A contents manager with our drive; the server gives `answers`, by method and path. */
function driveOf(
  answers: Record<string, [number, unknown]>,
  wantsNotebook = false
) {
  const fetch = vi.fn<typeof globalThis.fetch>(async input => {
    const { method, url } = input as Request;
    const key = `${method} ${new URL(url).pathname}`;
    const [status, body] = answers[key] ?? [404, { message: `No ${key}` }];
    return new Response(status === 204 ? null : JSON.stringify(body), {
      status
    });
  });
  const baseUrl = 'http://jupyter.test/user/me/';
  const settings = ServerConnection.makeSettings({ baseUrl, fetch });
  const manager = new ContentsManager({ serverSettings: settings });
  const drive = new SandboxDrive(
    settings,
    nullTranslator.load('sandbook'),
    async () => wantsNotebook
  );
  manager.addDrive(drive);
  return { manager, fetch };
}

const SANDBOXES = {
  'GET /user/me/sandbook/sandboxes': [200, [exampleSandbox('a')]]
} satisfies Record<string, [number, unknown]>;

it('has a folder for each sandbox', async () => {
  const { manager } = driveOf(SANDBOXES);

  const root = await manager.get('sandbook:');

  expect(root.type).toBe('directory');
  expect(root.content).toMatchObject([
    { name: 'a.ipynb', path: 'sandbook:a', type: 'directory' }
  ]);
});

it('asks a sandbox for its file', async () => {
  const { manager } = driveOf({
    'GET /user/me/sandbook/a/contents/workspace/a.py': [200, MODEL]
  });

  const file = await manager.get('sandbook:a/workspace/a.py');

  expect(file).toMatchObject({
    path: 'sandbook:a/workspace/a.py',
    content: 'x'
  });
});

it('tells what it has changed, and where', async () => {
  const { manager, fetch } = driveOf({
    'PATCH /user/me/sandbook/a/contents/workspace/b.py': [200, MODEL]
  });
  const onChange = vi.fn();
  manager.fileChanged.connect((_, change) => onChange(change));

  await manager.rename(
    'sandbook:a/workspace/b.py',
    'sandbook:a/workspace/a.py'
  );

  expect(await (fetch.mock.calls[0][0] as Request).json()).toEqual({
    path: 'workspace/a.py'
  });
  expect(onChange).toHaveBeenCalledWith(
    expect.objectContaining({
      type: 'rename',
      oldValue: { path: 'sandbook:a/workspace/b.py' },
      newValue: expect.objectContaining({ path: 'sandbook:a/workspace/a.py' })
    })
  );
});

it('downloads from the files of the sandbox', async () => {
  const { manager } = driveOf({});

  const url = new URL(await manager.getDownloadUrl('sandbook:a/etc/a b.txt'));

  expect(url.pathname).toBe('/user/me/sandbook/a/files/etc/a%20b.txt');
});

it('says when a sandbox has ended', async () => {
  const { manager } = driveOf(SANDBOXES);

  await expect(manager.get('sandbook:gone/workspace')).rejects.toThrow(
    'This sandbox has ended'
  );
});

it('leaves the word to the server when only the file is missing', async () => {
  const { manager } = driveOf(SANDBOXES);

  await expect(manager.get('sandbook:a/missing')).rejects.toThrow(
    'No GET /user/me/sandbook/a/contents/missing'
  );
});

it('keeps files in their sandbox and sandboxes as they are', async () => {
  const { manager, fetch } = driveOf(SANDBOXES);

  await expect(manager.rename('sandbook:a/x', 'sandbook:b/x')).rejects.toThrow(
    'stays in its sandbox'
  );
  await expect(manager.copy('sandbook:a/x', 'sandbook:b')).rejects.toThrow(
    'stays in its sandbox'
  );
  await expect(manager.delete('sandbook:a')).rejects.toThrow('its notebook');
  await expect(
    manager.newUntitled({ path: 'sandbook:', type: 'file' })
  ).rejects.toThrow('Open the folder of a sandbox');
  expect(fetch).not.toHaveBeenCalled();
});

it('says what to do about a name that no address can hold', async () => {
  const { manager } = driveOf(SANDBOXES);

  await expect(manager.get('sandbook:a/\udcff')).rejects.toThrow('not UTF-8');
});

it('makes a notebook only for somebody who really wants it there', async () => {
  const answers = {
    'POST /user/me/sandbook/a/contents/workspace': [201, MODEL]
  } satisfies Record<string, [number, unknown]>;
  const options = { path: 'sandbook:a/workspace', type: 'notebook' } as const;

  const refused = driveOf(answers).manager.newUntitled(options);
  await expect(refused).rejects.toThrow('No notebook was created.');

  const made = await driveOf(answers, true).manager.newUntitled(options);
  expect(made.path).toBe('sandbook:a/workspace/a.py');
});
