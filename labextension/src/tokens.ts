/** The names that features share, and the token through which they meet. */
import type { VDomRenderer } from '@jupyterlab/ui-components';
import { Token } from '@lumino/coreutils';
import type { IAction } from './activity/log';
import type { ISandbox } from './api/types';

/** The domain of our translations. */
export const TRANSLATION_DOMAIN = 'sandbook';

/** The id of the side panel's widget. */
export const PANEL_ID = 'sandbook-panel';

/** The id of the file browser's widget. */
export const FILES_ID = 'sandbook-files';

export const CommandIDs = {
  downloadZip: 'sandbook:download-zip',
  showFiles: 'sandbook:show-files',
  showPanel: 'sandbook:show-panel',
  viewFile: 'sandbook:view-file'
} as const;

/** The sandboxes of this server, kept up to date. `stateChanged` tells of news. */
export interface ISandboxes extends VDomRenderer.IModel {
  /** All sandboxes: the current notebook's first, then the newest. */
  readonly all: readonly ISandbox[];

  /** The sandbox of the current notebook, if its kernel has one. */
  readonly current: ISandbox | null;

  /** Whether the server has answered at least once. */
  readonly isReady: boolean;

  /** Why the last look failed; `all` is then the last list that arrived. */
  readonly error: Error | null;

  /** What agents did lately in a sandbox, the latest first. */
  actionsOf(sandboxId: string): readonly IAction[];

  /** Look again now instead of at the next poll. */
  refresh(): Promise<void>;
}

export const ISandboxes = new Token<ISandboxes>(
  'sandbook-labextension:ISandboxes',
  'The sandboxes of this server, and the one of the current notebook.'
);
