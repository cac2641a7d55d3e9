/** Typed requests to the server; the only file that knows its URLs. */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { ISandbox } from './types';

/**
 * List the sandboxes of this server.
 *
 * Throws `ServerConnection.NetworkError` when the server does not answer and
 * `ServerConnection.ResponseError` when it refuses.
 */
export async function listSandboxes(
  settings: ServerConnection.ISettings
): Promise<ISandbox[]> {
  const answer = await poll(settings, 'sandboxes');
  if (!Array.isArray(answer)) {
    throw new Error('The server sent something else than a list of sandboxes.');
  }
  return answer;
}

/**
 * The settings of a server that has nothing but one sandbox: its API of
 * contents and its files lie below the address of the sandbox.
 */
export function settingsOf(
  sandboxId: string,
  settings: ServerConnection.ISettings
): ServerConnection.ISettings {
  return { ...settings, baseUrl: `${sandboxUrl(settings, sandboxId)}/` };
}

/** Where a folder of a sandbox comes as a zip. */
export function zipUrl(
  settings: ServerConnection.ISettings,
  sandboxId: string,
  path: string
): string {
  return (
    URLExt.join(sandboxUrl(settings, sandboxId), 'download_files') +
    URLExt.objectToQueryString({ path })
  );
}

/** Where a page shows a file of a sandbox. */
export function viewUrl(
  settings: ServerConnection.ISettings,
  sandboxId: string,
  path: string
): string {
  return (
    URLExt.join(sandboxUrl(settings, sandboxId), 'view') +
    URLExt.objectToQueryString({ path })
  );
}

/** Where all that was done in a sandbox comes as a notebook. */
export function trajectoryUrl(
  settings: ServerConnection.ISettings,
  sandboxId: string
): string {
  return URLExt.join(sandboxUrl(settings, sandboxId), 'trajectory.ipynb');
}

function sandboxUrl(
  settings: ServerConnection.ISettings,
  sandboxId: string
): string {
  return URLExt.join(
    settings.baseUrl,
    'sandbook',
    encodeURIComponent(sandboxId)
  );
}

/** GET without counting as a sign of life, so that idle servers may still stop. */
async function poll(
  settings: ServerConnection.ISettings,
  resource: string
): Promise<unknown> {
  const url =
    URLExt.join(settings.baseUrl, 'sandbook', resource) +
    URLExt.objectToQueryString({ no_track_activity: '1' });
  const response = await ServerConnection.makeRequest(url, {}, settings);
  if (!response.ok) {
    throw await errorFromResponse(response);
  }
  return response.json();
}

/** Sandbook's own errors bring a `detail`, those of Jupyter Server a `message`. */
async function errorFromResponse(
  response: Response
): Promise<ServerConnection.ResponseError> {
  const body: { detail?: string; message?: string } | null = await response
    .json()
    .catch(() => null);
  return new ServerConnection.ResponseError(
    response,
    body?.detail ?? body?.message
  );
}
