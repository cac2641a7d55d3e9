/** The file browser of the drive. */
import {
  setToolbar,
  showErrorMessage,
  ToolbarButton
} from '@jupyterlab/apputils';
import {
  type FileBrowser,
  type IFileBrowserFactory,
  Uploader
} from '@jupyterlab/filebrowser';
import { type Contents, ServerConnection } from '@jupyterlab/services';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import {
  fileIcon,
  type LabIcon,
  newFolderIcon,
  refreshIcon
} from '@jupyterlab/ui-components';
import { filesIcon } from '../icons';
import { FILES_ID, type ISandboxes, TRANSLATION_DOMAIN } from '../tokens';
import { nameCrumbs } from './crumbs';
import { deleteForGood } from './deleting';
import type { SandboxDrive } from './drive';
import { folderName } from './names';
import { placeOf } from './paths';

/** Make the browser; it begins at the root of the drive, among the sandboxes. */
export function createBrowser(
  factory: IFileBrowserFactory,
  drive: SandboxDrive,
  sandboxes: ISandboxes,
  translator: ITranslator
): FileBrowser {
  const trans = translator.load(TRANSLATION_DOMAIN);
  const browser = factory.createFileBrowser(FILES_ID, {
    driveName: drive.name
  });
  const title = trans.__('Files of the sandboxes');
  browser.title.icon = filesIcon;
  browser.title.caption = title;
  browser.node.setAttribute('role', 'region');
  browser.node.setAttribute('aria-label', title);
  // However deep the folder: whose it is stays in sight.
  browser.minimumBreadcrumbsLeftItems = 1;
  addToolbar(browser, translator, trans);
  deleteForGood(browser, trans);
  followSandboxes(browser, sandboxes, trans);
  followChanges(browser, drive);
  tellFailures(browser, trans);
  return browser;
}

/** The sandbox in whose folder the browser is. */
function sandboxIn(browser: FileBrowser): string | null {
  const { manager, path } = browser.model;
  const localPath = manager.services.contents.localPath(path);
  return placeOf(localPath)?.sandboxId ?? null;
}

function addToolbar(
  browser: FileBrowser,
  translator: ITranslator,
  trans: TranslationBundle
): void {
  setToolbar(browser, () => [
    button('new-file', fileIcon, trans.__('New File'), () =>
      browser.createNewFile({ ext: 'txt' })
    ),
    button('new-folder', newFolderIcon, trans.__('New Folder'), () =>
      browser.createNewDirectory()
    ),
    {
      name: 'upload',
      widget: new Uploader({ model: browser.model, translator })
    },
    button('refresh', refreshIcon, trans.__('Refresh'), () =>
      browser.model.refresh()
    )
  ]);
}

function button(
  name: string,
  icon: LabIcon,
  tooltip: string,
  act: () => Promise<unknown>
): { name: string; widget: ToolbarButton } {
  const widget = new ToolbarButton({
    icon,
    tooltip,
    noFocusOnClick: true,
    onClick: () => {
      // JupyterLab's buttons are switches: this one is to come up again.
      widget.pressed = false;
      void act();
    }
  });
  return { name, widget };
}

/** Call sandboxes by their names, and leave the folder of one that has ended. */
function followSandboxes(
  browser: FileBrowser,
  sandboxes: ISandboxes,
  trans: TranslationBundle
): void {
  const find = (id: string) => sandboxes.all.find(one => one.id === id);
  const rename = nameCrumbs(browser, id => {
    const sandbox = find(id);
    return sandbox ? folderName(sandbox, sandboxes.all, trans) : null;
  });
  let seen: string | null = null;
  const follow = () => {
    const id = sandboxIn(browser);
    if (id && find(id)) {
      seen = id;
    } else if (id && id === seen && !sandboxes.error) {
      // One that was never seen has just started: the list is older than the folder.
      void browser.model.cd('/');
    }
  };
  // The list may have the sandbox before its folder is opened, and not change until it ends.
  browser.model.pathChanged.connect(follow);
  sandboxes.stateChanged.connect(() => {
    rename();
    follow();
  });
}

/** Look again as soon as JupyterLab itself has changed something in the folder. */
function followChanges(browser: FileBrowser, drive: SandboxDrive): void {
  const isHere = (model: Partial<Contents.IModel> | null) =>
    `${drive.name}:${model?.path}`.startsWith(browser.model.path);
  drive.fileChanged.connect((_, { oldValue, newValue }) => {
    if (isHere(oldValue) || isHere(newValue)) {
      void browser.model.refresh();
    }
  });
}

/** Say why a folder does not open; of those that are missing JupyterLab tells itself. */
function tellFailures(browser: FileBrowser, trans: TranslationBundle): void {
  browser.model.connectionFailure.connect((_, error) => {
    if (
      error instanceof ServerConnection.ResponseError &&
      error.response.status !== 404
    ) {
      void showErrorMessage(trans.__('Cannot open the folder'), error.message);
    }
  });
}
