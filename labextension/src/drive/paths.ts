/** Where a file is: the paths of the drive, taken apart and put together. */
import { PathExt } from '@jupyterlab/coreutils';
import type { Contents } from '@jupyterlab/services';
import type { ISandbox } from '../api/types';

/** The name of the drive, which begins each of its paths in JupyterLab. */
export const DRIVE_NAME = 'sandbook';

/** Where the workspace is mounted in sandboxes that are machines of their own. */
const WORKSPACE = '/workspace';

/** A file or folder: which sandbox has it, and its path there without the first slash. */
export interface IPlace {
  sandboxId: string;
  path: string;
}

/** Take a path of the drive apart; its root is in no sandbox. */
export function placeOf(localPath: string): IPlace | null {
  const [sandboxId, ...parts] = localPath.split('/');
  return sandboxId ? { sandboxId, path: parts.join('/') } : null;
}

/** The path in JupyterLab of an absolute path in a sandbox. */
export function drivePath(sandboxId: string, path: string): string {
  // Nothing may climb out of its sandbox into that of a neighbour.
  const inside = PathExt.normalize(`/${path}`).replace(/^\/+/, '');
  return `${DRIVE_NAME}:${sandboxId}/${inside}`;
}

/** The absolute path of the workspace, as the sandbox itself sees it. */
export function workspaceOf(sandbox: ISandbox): string {
  return sandbox.backend === 'local' ? sandbox.workspace : WORKSPACE;
}

/** A model of one sandbox as a model of the drive; so are those of a folder. */
export function modelInDrive<T extends Partial<Contents.IModel>>(
  sandboxId: string,
  model: T
): T {
  const { path, type, content } = model;
  return {
    ...model,
    path: PathExt.join(sandboxId, path ?? ''),
    ...(type === 'directory' && content
      ? {
          content: content.map((item: Contents.IModel) =>
            modelInDrive(sandboxId, item)
          )
        }
      : {})
  };
}

/** The root of the drive, with a folder for each sandbox. */
export function rootModel(
  sandboxes: readonly ISandbox[],
  nameOf: (sandbox: ISandbox) => string
): Contents.IModel {
  const folders = sandboxes.map(sandbox =>
    folderModel(nameOf(sandbox), sandbox.id, sandbox.started_at)
  );
  return { ...folderModel('', '', ''), format: 'json', content: folders };
}

function folderModel(
  name: string,
  path: string,
  moment: string
): Contents.IModel {
  return {
    name,
    path,
    type: 'directory',
    writable: false,
    created: moment,
    last_modified: moment,
    mimetype: '',
    format: null,
    content: null
  };
}
