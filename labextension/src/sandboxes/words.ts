/** Facts about sandboxes in words for people; all functions are pure. */
import { PathExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ILimits, ISandbox, SandboxState } from '../api/types';

const MB_PER_GB = 1024;

/** What went wrong, and what the reader can do about it. */
export interface IProblem {
  what: string;
  advice: string;
}

export function nameOf(sandbox: ISandbox, trans: TranslationBundle): string {
  return PathExt.basename(sandbox.notebook) || trans.__('No notebook');
}

export function shortId(id: string): string {
  return id.slice(0, 8);
}

export function stateInWords(
  state: SandboxState,
  trans: TranslationBundle
): string {
  switch (state) {
    case 'running':
      return trans.__('Running');
    case 'paused':
      return trans.__('Paused');
    case 'starting':
      return trans.__('Starting');
    case 'exited':
      return trans.__('Exited');
  }
}

export function limitsInWords(
  limits: ILimits,
  trans: TranslationBundle
): string {
  const { memory_mb, cpus, pids } = limits;
  const parts: string[] = [];
  if (memory_mb !== null) {
    parts.push(memoryInWords(memory_mb, trans));
  }
  if (cpus !== null) {
    parts.push(trans._n('%1 CPU', '%1 CPUs', cpus));
  }
  if (pids !== null) {
    parts.push(trans._n('%1 process', '%1 processes', pids));
  }
  return parts.join(' · ') || trans.__('No limits');
}

function memoryInWords(megabytes: number, trans: TranslationBundle): string {
  if (megabytes < MB_PER_GB) {
    return trans.__('%1 MB memory', Math.round(megabytes));
  }
  const gigabytes = Math.round((megabytes / MB_PER_GB) * 10) / 10;
  return trans.__('%1 GB memory', gigabytes);
}

/** How long ago `startedAt` was; a server clock ahead of ours counts as now. */
export function uptimeInWords(
  startedAt: string,
  now: number,
  trans: TranslationBundle
): string {
  const elapsed = now - Date.parse(startedAt);
  if (Number.isNaN(elapsed)) {
    return '';
  }
  const seconds = Math.max(0, Math.floor(elapsed / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (minutes === 0) {
    return trans.__('%1 s', seconds);
  }
  if (hours === 0) {
    return trans.__('%1 min', minutes);
  }
  if (days === 0) {
    return trans.__('%1 h %2 min', hours, minutes % 60);
  }
  return trans.__('%1 d %2 h', days, hours % 24);
}

export function problemFromError(
  error: Error,
  trans: TranslationBundle
): IProblem {
  if (error instanceof ServerConnection.NetworkError) {
    return {
      what: trans.__('The server does not answer.'),
      advice: trans.__(
        'Check that Jupyter still runs and that you are online. The list comes back by itself.'
      )
    };
  }
  const status =
    error instanceof ServerConnection.ResponseError
      ? error.response.status
      : null;
  if (status === 404) {
    return {
      what: trans.__('This server does not know Sandbook.'),
      advice: trans.__(
        'Install sandbook in the environment of the Jupyter server, then restart the server.'
      )
    };
  }
  if (status === 401 || status === 403) {
    return {
      what: trans.__('The server does not let you see its sandboxes.'),
      advice: trans.__('Reload this page and log in again.')
    };
  }
  return {
    what: trans.__('The server could not list its sandboxes.'),
    advice: trans.__('Its log may say more. It answered: %1', error.message)
  };
}
