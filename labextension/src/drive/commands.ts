/** What can be done with the files of a sandbox beside what every file browser offers. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { FileBrowser } from '@jupyterlab/filebrowser';
import type { TranslationBundle } from '@jupyterlab/translation';
import { downloadIcon, folderIcon } from '@jupyterlab/ui-components';
import { viewUrl, zipUrl } from '../api/client';
import { sandboxIcon } from '../icons';
import { CommandIDs, type ISandboxes } from '../tokens';
import { type IPlace, placeOf, workspaceOf } from './paths';

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

export function addCommands(
  app: JupyterFrontEnd,
  browser: FileBrowser,
  sandboxes: ISandboxes,
  trans: TranslationBundle
): void {
  const { commands, serviceManager, shell } = app;
  const { serverSettings } = serviceManager;

  commands.addCommand(CommandIDs.showFiles, {
    label: trans.__('Show Files of a Sandbox'),
    caption: trans.__('Show the files of a sandbox, its workspace first'),
    icon: folderIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          id: {
            type: 'string',
            description: trans.__(
              'The sandbox; that of the current notebook if there is none given'
            )
          }
        }
      }
    },
    execute: async args => {
      const sandbox = args['id']
        ? sandboxes.all.find(({ id }) => id === args['id'])
        : sandboxes.current;
      const folder = sandbox ? `${sandbox.id}${workspaceOf(sandbox)}` : '';
      shell.activateById(browser.id);
      await browser.model.cd(`/${folder}`);
    }
  });

  commands.addCommand(CommandIDs.downloadZip, {
    label: trans.__('Download as Zip'),
    icon: downloadIcon.bindprops({ stylesheet: 'menuItem' }),
    describedBy: NO_ARGUMENTS,
    execute: () => {
      for (const { sandboxId, path } of selected(browser)) {
        download(zipUrl(serverSettings, sandboxId, `/${path}`));
      }
    }
  });

  commands.addCommand(CommandIDs.viewFile, {
    label: trans.__('View'),
    caption: trans.__('Show the file on a page of its own'),
    icon: sandboxIcon.bindprops({ stylesheet: 'menuItem' }),
    describedBy: NO_ARGUMENTS,
    execute: async () => {
      // Few people look at pages; whoever does waits a moment for the first.
      const { showPage } = await import('./viewer');
      for (const { sandboxId, path } of selected(browser)) {
        const url = viewUrl(serverSettings, sandboxId, `/${path}`);
        showPage(shell, url, `/${path}`);
      }
    }
  });
}

function selected(browser: FileBrowser): IPlace[] {
  const { contents } = browser.model.manager.services;
  return [...browser.selectedItems()].flatMap(
    ({ path }) => placeOf(contents.localPath(path)) ?? []
  );
}

function download(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
