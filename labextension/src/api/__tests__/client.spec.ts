/** The client against a fake network. */
import { ServerConnection } from '@jupyterlab/services';
import { expect, it, vi } from 'vitest';
import { listSandboxes } from '../client';

/** Settings of a server that gives one answer; `fetch` remembers the requests. */
function serverThat(answer: () => Promise<Response>) {
  const fetch = vi.fn<typeof globalThis.fetch>(answer);
  const baseUrl = 'http://jupyter.test/user/me/';
  return { fetch, settings: ServerConnection.makeSettings({ baseUrl, fetch }) };
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status });
}

it('gives back the list of the server', async () => {
  const { settings } = serverThat(async () => json([{ id: 'a' }]));

  expect(await listSandboxes(settings)).toEqual([{ id: 'a' }]);
});

it('asks below the base URL, and not as a sign of life', async () => {
  const { fetch, settings } = serverThat(async () => json([]));

  await listSandboxes(settings);

  const url = new URL((fetch.mock.calls[0][0] as Request).url);
  expect(url.pathname).toBe('/user/me/sandbook/sandboxes');
  expect(url.searchParams.get('no_track_activity')).toBe('1');
});

it.each([
  ['detail', { code: 'backend-unavailable', detail: 'Start Docker.' }],
  ['message', { message: 'Start Docker.' }]
])('fails with the status and the %s of a refusal', async (_, body) => {
  const { settings } = serverThat(async () => json(body, 503));

  const failure = await listSandboxes(settings).catch(error => error);

  expect(failure).toBeInstanceOf(ServerConnection.ResponseError);
  expect(failure.response.status).toBe(503);
  expect(failure.message).toBe('Start Docker.');
});

it('fails with the status when the refusal is no JSON', async () => {
  const { settings } = serverThat(
    async () => new Response('<html>', { status: 502 })
  );

  const failure = await listSandboxes(settings).catch(error => error);

  expect(failure).toBeInstanceOf(ServerConnection.ResponseError);
  expect(failure.message).toContain('502');
});

it('fails with a network error when nobody answers', async () => {
  const { settings } = serverThat(async () => {
    throw new TypeError('Failed to fetch');
  });

  await expect(listSandboxes(settings)).rejects.toBeInstanceOf(
    ServerConnection.NetworkError
  );
});

it('refuses an answer that is no list', async () => {
  const { settings } = serverThat(async () => json({ id: 'a' }));

  await expect(listSandboxes(settings)).rejects.toThrow('list of sandboxes');
});
