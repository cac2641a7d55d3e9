/** Says of errors what a person can do about them, where we know that better than the server. */
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { listSandboxes } from '../api/client';
import type { IPlace } from './paths';

/** The same error, or a plainer one. */
export async function explained(
  error: unknown,
  place: IPlace,
  settings: ServerConnection.ISettings,
  trans: TranslationBundle
): Promise<unknown> {
  if (error instanceof URIError) {
    return new Error(
      trans.__('This name is not UTF-8. Rename the file in a cell.')
    );
  }
  const isMissing =
    error instanceof ServerConnection.ResponseError &&
    error.response.status === 404;
  return isMissing && (await isGone(place.sandboxId, settings))
    ? new Error(trans.__('This sandbox has ended: its kernel was shut down.'))
    : error;
}

async function isGone(
  sandboxId: string,
  settings: ServerConnection.ISettings
): Promise<boolean> {
  try {
    const all = await listSandboxes(settings);
    return all.every(({ id }) => id !== sandboxId);
  } catch {
    return false;
  }
}
